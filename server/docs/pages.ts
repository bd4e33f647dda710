import type { Document } from './documents.ts'
import { escapeHtml, htmlPage } from './html.ts'
import { type Heading, renderMarkdown } from './markdown.ts'

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

/** The list of all documents, as Markdown. */
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
