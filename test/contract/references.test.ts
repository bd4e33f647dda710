import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', ...globSync('docs/**/*.md')]
const FILES = globSync('{bench,bin,cli,docs,scripts,server,test,web}/**/*.*', { exclude: ['**/dist/**'] })

const read = (path: string): Record<'scripts' | 'dependencies' | 'devDependencies', Record<string, string>> =>
  JSON.parse(readFileSync(path, 'utf8'))
const manifest = read('package.json')

/** What a pattern finds in the documents, each with where it stands. */
const found = (pattern: RegExp) =>
  DOCUMENTS.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(pattern)].map(([, name = '']) => ({ path, name })),
  )

/** A heading as its link is written: `## Run it for real` is `run-it-for-real`. */
const anchorsIn = (path: string) =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

it('every link between documents works, headings included', () => {
  const links = found(/\]\(([^):]+)\)/g)
  expect(links.length).toBeGreaterThan(20)
  for (const { path, name } of links) {
    const [target = '', anchor] = name.split('#')
    const file = target === '' ? path : join(dirname(path), target)
    expect(existsSync(file), `${path} → ${name}`).toBe(true)
    if (anchor !== undefined) expect(anchorsIn(file), `${path} → ${name}`).toContain(anchor)
  }
})

it('every file that a document names exists', () => {
  const named = found(/`([\w.-][\w./-]*\.(?:ts|tsx|js|sh|graphql))`/g)
  expect(named.length).toBeGreaterThan(50)
  for (const { path, name } of named) {
    const isThere = existsSync(name) || FILES.some((file) => file.endsWith(`/${name}`))
    expect(isThere, `${path} names ${name}`).toBe(true)
  }
})

it('every npm command that a document names exists', () => {
  const named = [...found(/npm run ([\w:-]+)/g), ...found(/npm (start|test)\b/g)]
  expect(named.length).toBeGreaterThan(10)
  for (const { path, name } of named) expect(Object.keys(manifest.scripts), path).toContain(name)
})

it('a decision record that another one supersedes is named in that one', () => {
  const records = globSync('docs/decisions/0*.md')
  const superseded = records.flatMap((path) => {
    const [, begin = ''] = readFileSync(path, 'utf8').split('\n\n')
    const [, by = ''] = /Superseded (?:in parts )?by (.*?)(?:Adds to|Supplements|$)/s.exec(begin) ?? []
    return [...by.matchAll(/\((\d{4}-[\w-]+\.md)\)/g)].map(([, later = '']) => ({ path, later }))
  })
  expect(superseded.length).toBeGreaterThan(25)
  for (const { path, later } of superseded)
    expect(readFileSync(join('docs/decisions', later), 'utf8'), `${later} supersedes ${path}`).toContain(basename(path))
})

it('every dependency has a reason in docs/decisions; types have that of their package', () => {
  const records = globSync('docs/decisions/*.md').map((path) => readFileSync(path, 'utf8'))
  const { dependencies, devDependencies } = manifest
  const all = Object.keys({ ...dependencies, ...devDependencies, ...read('web/package.json').dependencies })
  const unexplained = all.filter((name) => !name.startsWith('@types/') && !records.join().includes(name))
  expect(unexplained).toEqual([])
})
