import { globSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { createProgram } from '../../cli/program.ts'
import { textsIn } from '../support/sources.ts'

const read = (path: string) => readFileSync(path, 'utf8')

const [WORDS = '', NAMES = ''] = read('docs/glossary.md').split('## Names in code')

/** The first table of docs/glossary.md: what to write, and the old words for it, which are patterns for whole words. */
const GLOSSARY = [...WORDS.matchAll(/^\| (.+?) \| .* \| (`.*`) \|$/gm)].flatMap(([, write = '', patterns = '']) =>
  [...patterns.replaceAll('\\|', '|').matchAll(/`([^`]+)`/g)].map(([, old = '']) => ({
    write,
    old: wholeWords(old),
  })),
)

const NAME_ROWS = [...NAMES.matchAll(/^\| (`.*`) \| (`.*`) \|$/gm)]
const namesIn = (cell = '') => [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)
/** The columns of the second table: names that the code has, and those that it had. */
const NEW_NAMES = NAME_ROWS.flatMap(([, write]) => namesIn(write))
const OLD_NAMES = NAME_ROWS.flatMap(([, , old]) => namesIn(old))

function wholeWords(pattern: string): RegExp {
  return new RegExp(`\\b(?:${pattern.replaceAll(' ', '\\s+')})\\b`, 'gi')
}

/** Each old word in a text, with the word to write in its place. */
const oldWordsIn = (source: string, text: string) =>
  GLOSSARY.flatMap(({ write, old }) =>
    [...text.matchAll(old)].map(([found]) => `${source}: ${found.replaceAll(/\s+/g, ' ').toLowerCase()} → ${write}`),
  )

/** What is still to be reworded. Take a line out when its words are gone; add none. */
const NOT_YET: string[] = []

const expectNone = (found: string[]) =>
  expect([...new Set(found)].filter((each) => !NOT_YET.includes(each))).toEqual([])

it('the glossary is parsed, and an old word is found in any case and across a line break', () => {
  expect(GLOSSARY.length).toBeGreaterThan(50)
  expect(oldWordsIn('page', 'Letters wait in the Outbox.')).toEqual([
    'page: letters → email',
    'page: outbox → queued, stored, sent, expired',
  ])
  expect(oldWordsIn('page', 'This key is held\n  to none')).toEqual(['page: held to → restriction'])
  expect(oldWordsIn('page', 'Newsletters, indoors, endpoints')).toEqual([])
})

it('the schema uses the words of the glossary', () => {
  expectNone(oldWordsIn('schema.graphql', read('schema.graphql')))
})

it('the help of the command line uses the words of the glossary', () => {
  const commands = allOf(createProgram())
  expect(commands.length).toBeGreaterThan(18)
  expectNone(commands.flatMap((command) => oldWordsIn(pathOf(command), helpOf(command))))
})

it('the pages use the words of the glossary', () => {
  const paths = globSync('web/**/*.{ts,tsx}', { exclude: ['web/dist/**', '**/*.test.ts', '**/*.d.ts'] }).sort()
  const texts = paths.map((path) => ({ path, texts: textsIn(path, read(path)) }))
  expect(texts.flatMap((page) => page.texts).join('\n')).toMatch(/Revoke this key\?/)
  expectNone(texts.flatMap((page) => page.texts.flatMap((text) => oldWordsIn(page.path, text))))
})

it('the documents use the words of the glossary', () => {
  const paths = [...globSync(['*.md', 'docs/**/*.md', 'bench/README.md'])].sort()
  expect(paths.length).toBeGreaterThan(30)
  expectNone(paths.flatMap((path) => oldWordsIn(path, path === 'docs/glossary.md' ? beyondTable(path) : read(path))))
})

/** The code that runs, without migrations, which have the names of their time. */
const CODE = globSync('{bench,bin,cli,scripts,server}/**/*.{js,ts}', {
  exclude: ['**/*.test.ts', '**/node_modules/**', 'server/db/migrations/**'],
}).sort()

it('comments in the code use the words of the glossary', () => {
  const comments = CODE.map((path) => ({ path, text: commentsIn(read(path)) }))
  expect(comments.map(({ text }) => text).join('\n')).toMatch(/never cached/)
  expectNone(comments.flatMap(({ path, text }) => oldWordsIn(path, text)))
})

/** Everything that is written by hand: tests and the web interface as well. */
const ALL_CODE = globSync('{bench,bin,cli,scripts,server,test,web}/**/*.{css,cjs,js,mjs,ts,tsx}', {
  exclude: ['**/node_modules/**', 'web/dist/**'],
}).sort()

it('every comment names its subject: none begins with The same, Of, Those, Also, That, And, Or, But, Which is', () => {
  expect(ALL_CODE.length).toBeGreaterThan(1000)
  const bad = ['#** Of a key. *#', '#**\n * The same.\n *#', 'f() ## of it', '{#* the same *#}', 'f() ## which is one'] // # is a slash
  const good = [
    '#** A key\n * of it *#',
    '## A key\n  ## of it',
    '#** Offered, the same *#',
    'a + #x# of',
    '## Which keys',
  ]
  expect([...bad, ...good].filter((text) => withoutSubjectIn(text.replaceAll('#', '/')).length > 0)).toEqual(bad)
  expect(ALL_CODE.flatMap((path) => withoutSubjectIn(read(path)).map((begins) => `${path}: ${begins} …`))).toEqual([])
})

it('the code has no old names', () => {
  expect(OLD_NAMES.length).toBeGreaterThan(30)
  const old = new RegExp(`\\b(?:${OLD_NAMES.join('|')})\\b`, 'g')
  expect('const place: Place').toMatch(old)
  expectNone(CODE.flatMap((path) => [...read(path).matchAll(old)].map(([name]) => `${path}: ${name}`)))
})

it('the code has the names that the glossary asks for', () => {
  const code = CODE.map(read).join('\n')
  const isThere = (name: string) => code.includes(`'${name}'`) || name.split('.').every((part) => hasWord(code, part))
  expect(NEW_NAMES.filter((name) => !isThere(name))).toEqual([])
})

const hasWord = (code: string, word: string) => new RegExp(`\\b${word}\\b`).test(code)

/** What follows `//`, and the lines of blocks, each without what begins it. */
const commentsIn = (source: string) =>
  [...source.matchAll(/^ *(?:\/?\*\*?)(.*)$|(?:^| )\/\/ (.*)$/gm)]
    .map(([, block, line]) => block ?? line ?? '')
    .join('\n')

/** How comments begin that do not name their subject; a line that continues the comment above it is no beginning. */
const withoutSubjectIn = (source: string) =>
  [...source.matchAll(WITHOUT_SUBJECT)].map(([begins]) => begins.replaceAll(/\s+/g, ' '))
const WITHOUT_SUBJECT =
  /(?:\/\*\*?(?:\s*\*)?|(?<!^[ \t]*\/\/.*\n[ \t]*)\/\/)\s+(?:the same|of|those|also|that|and|or|but|which (?:is|are|was|were|has|have|had|may|can|cannot|would|will|do|does|did))\b/gim

/** The tables of the glossary have the old words themselves. */
const beyondTable = (path: string) => read(path).replaceAll(/^\|.*\|$/gm, '')

const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)]

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({ writeOut: (words) => (help += words) }).outputHelp()
  return help
}
