import { escapeHtml, htmlPage } from './html.ts'
import { type Heading, renderMarkdown } from './markdown.ts'
import type { Document } from './served-documents.ts'

/** One document as a page, beside the list of all and of its own sections. */
export function documentPage({ name, title, text }: Document, all: readonly Document[]): string {
  const { html, headings } = renderMarkdown(text)
  const markdown = `/docs/${name}.md`
  return htmlPage({
    title,
    markdown,
    menu: menuOf(all, name, headings),
    main: `${html}<p class="source"><a href="${markdown}">This page as Markdown</a></p>\n`,
  })
}

export const indexPage = (all: readonly Document[]): string =>
  htmlPage({
    title: 'Documents',
    markdown: '/docs/index.md',
    menu: menuOf(all, undefined, []),
    main: renderMarkdown(indexText(all)).html,
  })

export const indexText = (all: readonly Document[]): string =>
  [
    '# Documents',
    `The documents of this version of the portal, as pages and as Markdown (\`.md\`).`,
    all.map(({ name, title, summary }) => `- [${title}](${name}.md): ${summary}`).join('\n'),
    'The API contract is [schema.graphql](/schema.graphql). [llms.txt](/llms.txt) lists all of this for programs.\n',
  ].join('\n\n')

function menuOf(all: readonly Document[], current: string | undefined, headings: readonly Heading[]): string {
  const sections = headings.filter(({ depth }) => depth === 2)
  const inside = sections.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`).join('')
  const items = all.map(({ name, title }) => {
    if (name !== current) return `<li><a href="/docs/${name}">${escapeHtml(title)}</a></li>`
    return `<li><a href="/docs/${name}" aria-current="page">${escapeHtml(title)}</a>${inside && `<ul>${inside}</ul>`}</li>`
  })
  return `<ul>${items.join('')}</ul>`
}

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
