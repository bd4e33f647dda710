import { Marked } from 'marked'
import { escapeHtml } from './html.ts'

export interface Heading {
  depth: number
  id: string
  /** HTML without links. */
  title: string
}

export interface Rendered {
  html: string
  headings: Heading[]
}

/** The HTML of a document. HTML inside the Markdown is shown as text, and links run nothing. */
export function renderMarkdown(text: string): Rendered {
  const headings: Heading[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const title = this.parser.parseInline(tokens)
        const id = freeId(anchorOf(text), headings)
        headings.push({ depth, id, title: title.replace(/<\/?a\b[^>]*>/g, '') })
        const link = depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
        return `<h${depth} id="${id}">${title}${link}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const target = addressOf(href)
        return target === undefined ? words : `<a href="${escapeHtml(target)}">${words}</a>`
      },
      image: ({ text }) => escapeHtml(text),
      html: ({ text }) => escapeHtml(text),
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`,
    },
  })
  return { html: scrollable(marked.parse(text, { async: false })), headings }
}

/** A wide table scrolls inside its own frame, also by keyboard. */
const scrollable = (html: string) =>
  html
    .replaceAll('<table>', '<div class="table" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th></th>', '<td></td>')

/** As GitHub makes them: `## Run it for real` is `run-it-for-real`. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

function freeId(wanted: string, headings: readonly Heading[]): string {
  const isTaken = (id: string) => headings.some((heading) => heading.id === id)
  let id = wanted
  for (let count = 1; isTaken(id); count++) id = `${wanted}-${count}`
  return id
}

/** `errors.md#codes` is at `/docs/errors#codes`. Undefined: a scheme that no link needs. */
function addressOf(href: string): string | undefined {
  if (/^(?:https?:\/\/|mailto:|#|\/(?!\/))/i.test(href)) return href
  if (/^[^#?]*:|^\//.test(href)) return undefined
  return `/docs/${href.replace(/\.md(?=#|$)/, '')}`
}
