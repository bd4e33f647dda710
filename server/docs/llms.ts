import type { Document } from './documents.ts'

/** Less important for somebody who calls the API: may be left out. */
const OPTIONAL = new Set(['architecture', 'glossary', 'changelog', 'security'])

/** For programs that read documents, as https://llmstxt.org has it. Links begin with the address of the portal. */
export function llmsText(all: readonly Document[], origin: string): string {
  const linesOf = (documents: readonly Document[]) =>
    documents.map(({ name, title, summary }) => `- [${title}](${origin}/docs/${name}.md): ${summary}`).join('\n')
  const isOptional = ({ name }: Document) => OPTIONAL.has(name)
  return `# Edge Management Portal

> A self-hosted portal in which organizations manage edge devices, with a GraphQL API that is called with API keys.

- The endpoint is \`POST ${origin}/graphql\`, with \`Content-Type: application/json\` and the key in the \`api-secret\` header. An Admin generates keys in the portal. Read the secret from the environment, such as \`API_SECRET\`, and never write it into a file or a log.
- The schema below describes every type, field and argument. Introspection works with any key.
- Use \`extensions.code\` of an error. Lists have pages: \`first\` and \`after\`. \`RateLimit\` headers say how much is left.

## Documents

${linesOf(all.filter((document) => !isOptional(document)))}

## Schema

- [schema.graphql](${origin}/schema.graphql): the API contract, with descriptions

## Optional

${linesOf(all.filter(isOptional))}
`
}
