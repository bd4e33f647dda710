import { expect, it } from 'vitest'
import { renderMarkdown } from './markdown.ts'

it('HTML inside a document is shown as text', () => {
  const { html } = renderMarkdown('a <b onclick="run()">b</b>\n\n<script>run()</script>\n\n`<i>`\n\n    <u>\n')
  expect(html).not.toMatch(/<(b|script|i|u)\b/)
  expect(html).toContain('&lt;script&gt;run()&lt;/script&gt;')
  expect(html).toContain('<code>&lt;i&gt;</code>')
})

it('a link leads to the web, to a document or to a heading, and nowhere else', () => {
  const hrefOf = (target: string) => /href="([^"]*)"/.exec(renderMarkdown(`[words](${target})`).html)?.[1]
  expect(hrefOf('https://example.com/a?b=1&c')).toBe('https://example.com/a?b=1&amp;c')
  expect(hrefOf('errors.md#codes')).toBe('/docs/errors#codes')
  expect(hrefOf('examples/rotate-key.sh')).toBe('/docs/examples/rotate-key.sh')
  expect(hrefOf('#codes')).toBe('#codes')
  expect(hrefOf('/schema.graphql')).toBe('/schema.graphql')
  for (const target of ['javascript:run()', 'JaVaScRiPt:run()', 'data:text/html,x', '//evil.example'])
    expect(hrefOf(target), target).toBeUndefined()
})

it('headings have the anchors that links between documents use, each once', () => {
  const { headings, html } = renderMarkdown("# A\n\n## GitHub's `secret` scanning\n\n## B c\n\n## B c\n")
  expect(headings.map(({ id }) => id)).toEqual(['a', 'githubs-secret-scanning', 'b-c', 'b-c-1'])
  for (const { id } of headings) expect(html).toContain(`id="${id}"`)
})
