/** For a `.env` file, or a secrets manager that reads one. */
export const asEnvLine = (secret: string) => `API_SECRET=${secret}`

/** A first call that can be pasted into a shell. */
export const asCurl = (secret: string, origin: string) =>
  [
    `curl ${origin}/graphql`,
    `-H 'content-type: application/json'`,
    `-H 'api-secret: ${secret}'`,
    `-d '{"query": "{ devices { data { id name } } }"}'`,
  ].join(' \\\n  ')
