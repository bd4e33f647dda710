import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { INSTALLED } from '../../lib/installation.ts'

/** A document that the portal serves, at `/docs/NAME` and `/docs/NAME.md`. */
export interface Document {
  name: string
  title: string
  summary: string
  /** Markdown, with links that work where it is served. */
  text: string
}

/** All that is served below `/docs`. */
export interface Documents {
  all: readonly Document[]
  /** Examples that documents link to, by their paths below `/docs`. */
  files: ReadonlyMap<string, string>
}

/** What is listed first, in this order, each with what it is for. Other documents follow, with their first sentence. */
const KNOWN: Readonly<Record<string, string>> = {
  api: 'How to call the GraphQL API: keys, access, lists, devices, people, policy, audit log, limits.',
  errors: 'Every error code, its HTTP status, and what to do.',
  webhooks: 'Events that the portal sends to an address of yours: types, signatures, retries.',
  'api-policy': 'What may change in the API, and how long what is deprecated stays.',
  operations: 'Install, configure, back up and upgrade the portal; command line, limits, reverse proxy, browsers.',
  revocation: 'Why a revoked key is refused at once, also after faults and restores.',
  security: 'What the portal guarantees, and how to report a vulnerability.',
  changelog: 'What changed, the newest version first.',
  architecture: 'How the portal is built.',
  glossary: 'The words that are used, and their meanings.',
}

const EXAMPLES = 'docs/{compose,examples,systemd}/*'

const { root: ROOT } = INSTALLED

/** Reads all of them; none where they are not installed. */
export function readDocuments(): Documents {
  if (!existsSync(join(ROOT, 'docs', 'api.md'))) return { all: [], files: new Map() }
  const paths = [...globSync('docs/*.md', { cwd: ROOT }), 'CHANGELOG.md', 'SECURITY.md']
  const examples = globSync(EXAMPLES, { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'))
  const files = new Map(examples.map((path) => [path.replace(/^docs\//, ''), readText(path)]))
  const names = paths.map((path) => `${nameOf(path)}.md`)
  const isServed = (path: string) => names.includes(path.toLowerCase()) || files.has(path)
  const all = paths.map((path) => documentOf(path, isServed)).sort(inOrder)
  return { all, files }
}

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const nameOf = (path: string) => basename(path, '.md').toLowerCase()

function documentOf(path: string, isServed: (path: string) => boolean): Document {
  const text = withServedLinks(readText(path), isServed)
  const name = nameOf(path)
  const [, title = name] = /^# (.+)$/m.exec(text) ?? []
  return { name, title, summary: KNOWN[name] ?? firstSentence(text), text }
}

const ORDER = Object.keys(KNOWN)
const rank = ({ name }: Document) => (name in KNOWN ? ORDER.indexOf(name) : ORDER.length)
const inOrder = (a: Document, b: Document) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)

/** Links to what is not served, such as sources, become plain text; those to documents are relative to `/docs`. */
const withServedLinks = (text: string, isServed: (path: string) => boolean) =>
  text.replace(/(?<!!)\[([^\]\n]+(?:\n[^\]\n]+)?)\]\(([^)\s]+)\)/g, (link, words: string, target: string) => {
    const [path = '', anchor] = target.split('#')
    if (/^[a-z]+:/i.test(target) || path === '') return link
    const inDocs = path.replace(/^(?:\.\.\/)?docs\//, '').replace(/^\.\.\/(?=[A-Z]+\.md$)/, '')
    if (!isServed(inDocs)) return words
    const served = inDocs.endsWith('.md') ? `${nameOf(inDocs)}.md` : inDocs
    return `[${words}](${served}${anchor === undefined ? '' : `#${anchor}`})`
  })

function firstSentence(text: string): string {
  const paragraph = text.split(/\n{2,}/).find((part) => /^\w/.test(part)) ?? ''
  const [sentence = ''] = paragraph.replace(/\s+/g, ' ').split(/(?<=[.:]) /)
  return sentence.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
