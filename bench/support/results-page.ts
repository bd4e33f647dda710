const beginOf = (architecture: string) => `<!-- results ${architecture} -->\n`
const endOf = (architecture: string) => `<!-- end ${architecture} -->\n`
const LAST_END = /(?<=[\s\S]*<!-- end \w+ -->\n)(?![\s\S]*<!-- end \w+ -->)/

/** The page with these results of an architecture, in place of its last ones; those of others stay as they are. */
export function withResults(page: string, architecture: string, results: string): string {
  const [begin, end] = [beginOf(architecture), endOf(architecture)]
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from >= 0 && to > from) return `${page.slice(0, from)}${begin}\n${results}\n\n${page.slice(to)}`
  if (!LAST_END.test(page)) throw new Error('bench/README.md has no place for results.')
  return page.replace(LAST_END, () => `\n### ${architecture}\n\n${begin}\n${results}\n\n${end}`)
}
