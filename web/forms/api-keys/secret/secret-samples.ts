import type { GeneratedKey } from '../../../api/api-keys.ts'

/** A way to use a new key: text to copy, and what to do with it. */
export interface SecretSample {
  name: string
  how: string
  code: string
}

interface Use {
  secret: string
  origin: string
  /** A call that the access of the key includes. */
  query: string
}

/** The first can be pasted as it is; programs read the secret from the environment, so that it is in none of them. */
export function secretSamples({ secret, apiKey }: GeneratedKey, origin: string): SecretSample[] {
  const use = { secret, origin, query: firstCallOf(apiKey) }
  return [
    { name: 'curl', how: 'Paste it into a terminal.', code: curl(use) },
    { name: '.env', how: 'Add it to a .env file, or to a secrets manager.', code: `API_SECRET=${secret}` },
    { name: 'Python', how: 'With API_SECRET in the environment. No packages.', code: python(use) },
    { name: 'JavaScript', how: 'With API_SECRET in the environment. Node.js 18 or later.', code: javascript(use) },
    {
      name: 'GitHub Actions',
      how: 'Run gh secret set API_SECRET and paste the secret, then add this step.',
      code: step(use),
    },
  ]
}

function curl({ secret, origin, query }: Use): string {
  return `curl ${origin}/graphql \\
  -H 'content-type: application/json' \\
  -H 'api-secret: ${secret}' \\
  -d '${JSON.stringify({ query })}'`
}

function python({ origin, query }: Use): string {
  return `import json, os, urllib.request

request = urllib.request.Request(
    "${origin}/graphql",
    json.dumps({"query": ${JSON.stringify(query)}}).encode(),
    {"content-type": "application/json", "api-secret": os.environ["API_SECRET"]},
)
print(json.load(urllib.request.urlopen(request)))`
}

function javascript({ origin, query }: Use): string {
  return `const response = await fetch('${origin}/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'api-secret': process.env.API_SECRET },
  body: JSON.stringify({ query: ${JSON.stringify(query)} }),
})
console.log(await response.text())`
}

function step({ origin, query }: Use): string {
  return `- env:
    API_SECRET: \${{ secrets.API_SECRET }}
  run: |
    curl -sS --fail-with-body ${origin}/graphql \\
      -H 'content-type: application/json' \\
      -H "api-secret: $API_SECRET" \\
      -d '${JSON.stringify({ query })}'`
}

function firstCallOf({ access, deviceId }: GeneratedKey['apiKey']): string {
  if (access !== 'CHECK_IN') return '{ devices { data { id name } } }'
  return deviceId ? checkInCall(deviceId) : '{ viewer { organization { name } } }'
}

/** By which a device says that it is alive. */
export const checkInCall = (deviceId: string) => `mutation { checkInDevice(id: "${deviceId}") { lastSeenAt } }`
