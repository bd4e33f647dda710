import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { parse, validate } from 'graphql'
import { expect } from 'vitest'
import { createProgram } from '../../cli/program.ts'
import { LIMITS } from '../../server/config/limits.ts'
import { SECRET_VARIABLES } from '../../server/config/secret-variables.ts'
import { VARIABLES } from '../../server/config.ts'
import { schema } from '../../server/endpoints/schema.ts'
import * as cost from '../../server/graphql/cost.ts'
import * as limits from '../../server/graphql/operation-limits.ts'
import { ERRORS } from '../../server/lib/app-error.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../server/lib/page.ts'
import { inWorld } from '../support/world/fixtures.ts'
import { operationsOf } from '../support/world/operations.ts'
import { startWorld } from '../support/world/world.ts'

const it = inWorld(startWorld)

const document = (path: string) => readFileSync(path, 'utf8')
const rows = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, ...cells]) => cells)
const numbers = (...values: number[]) => values.map((value) => value.toLocaleString('en')).join(' · ')

it('C4: docs/errors.md has every code with its status, and no other', () => {
  const written = rows(document('docs/errors.md'), /^\| `([A-Z_]+)` \| (\d+) \|/gm)
  expect(written).toEqual(Object.entries(ERRORS).map(([code, { status }]) => [code, String(status)]))
})

it('docs/operations.md has every variable with its default, and no other', () => {
  const written = rows(document('docs/operations.md'), /^\| `([A-Z_]+)` \| (?:`([^`]*)`)? ?\|/gm)
  expect(written.map(([name, value]) => [name, value ?? ''])).toEqual(Object.entries(VARIABLES))
})

it('docs/operations.md names every variable that can be a file', () => {
  const [paragraph = ''] = rows(document('docs/operations.md'), /^\*\*Secrets in files\.\*\*([\s\S]*?)\n\n/gm).flat()
  expect(rows(paragraph, /`([A-Z_]+)_FILE`/g).flat()).toEqual([...SECRET_VARIABLES])
})

it('docs/operations.md has every limit with its number, and no other', () => {
  const written = rows(document('docs/operations.md'), /^\| .* \| (.*) \| .* \| `([a-z_]+)` \|$/gm)
  expect(written.map(([, name]) => name)).toEqual(Object.keys(LIMITS))
  for (const [words = '', name] of written) {
    expect(words.replaceAll(',', ''), name).toMatch(new RegExp(`\\b${Object(LIMITS)[name ?? '']}\\b`))
  }
})

it('docs/operations.md has every command, and no other', () => {
  const written = rows(document('docs/operations.md'), /^\| `portal ([a-z- ]+?)(?: (?:[A-Z]+|on SLUG))?` \|/gm).flat()
  expect(written).toEqual(leaves(createProgram()))
})

function leaves(command: Command, path: string[] = []): string[] {
  const below = command.commands.flatMap((child) => leaves(child, [...path, child.name()]))
  const isGroup = below.length > 0 && command.registeredArguments.length === 0
  return isGroup ? below : [path.join(' '), ...below]
}

it('docs/operations.md names no option that its command does not have', () => {
  const written = rows(document('docs/operations.md'), /^\| `portal ([a-z- ]+?)(?: (?:[A-Z]+|on SLUG))?` \| (.*) \|$/gm)
  for (const [path = '', words = ''] of written) {
    const options = commandOf(path).options.map(({ long }) => long)
    for (const [option] of rows(words, /(--[a-z-]+)/g)) expect(options, `portal ${path} ${option}`).toContain(option)
  }
})

function commandOf(path: string): Command {
  const inside = (command: Command, name: string) => command.commands.find((child) => child.name() === name) ?? command
  return path.split(' ').reduce(inside, createProgram())
}

it('docs/api.md has the actual limits', () => {
  const text = document('docs/api.md')
  const { MAX_OPERATIONS, MAX_DEPTH, MAX_ALIASES, MAX_ROOT_FIELDS, MAX_DIRECTIVES } = limits
  const { MAX_FRAGMENTS, MAX_REPEATS, MAX_FIELDS } = limits
  for (const line of [
    `| request body · document · tokens · values in the variables · fields of one object in them · levels of them | ${limits.MAX_BODY_BYTES / 1024} KiB, and ${limits.BODY_BYTES_OF_AN_ITEM / 1024} KiB for each input of a list (8 KiB at \`/auth\`) · ${limits.MAX_DOCUMENT_CHARACTERS.toLocaleString('en')} characters · ${numbers(limits.MAX_TOKENS, limits.MAX_VALUES, limits.MAX_OBJECT_FIELDS, limits.MAX_LEVELS)} |`,
    `| operations of a document · depth · aliases · root fields · directives | ${numbers(MAX_OPERATIONS, MAX_DEPTH, MAX_ALIASES, MAX_ROOT_FIELDS, MAX_DIRECTIVES)} (introspection may go to ${limits.MAX_INTROSPECTION_DEPTH} levels) |`,
    `| fragments, in all and in one place · the same field in one place · fields with all fragments expanded | ${numbers(MAX_FRAGMENTS, MAX_REPEATS, MAX_FIELDS)} |`,
    `| page size · cost of an operation | default ${DEFAULT_PAGE_SIZE}, at most ${MAX_PAGE_SIZE} · ${numbers(limits.MAX_COST)} |`,
    `| validation errors reported · of variables · array batching | ${numbers(limits.MAX_REPORTED_ERRORS, limits.MAX_REPORTED_VARIABLE_ERRORS)} · off |`,
    `| time of an operation | ${limits.OPERATION_TIMEOUT_MS / 1000} s, then 503 |`,
  ]) {
    expect(text).toContain(line)
  }
})

it('docs/api.md has the actual costs', () => {
  expect(document('docs/api.md')).toContain(`| \`totalCount\`, \`countUpTo\` | ${cost.COST_OF_COUNT} |`)
  expect(document('docs/api.md')).toContain(`when given and not null | ${cost.COST_OF_SEARCH} |`)
  expect(document('docs/api.md')).toContain(`| a mutation | ${cost.COST_OF_MUTATION};`)
  expect(document('docs/api.md')).toContain(`| an object | 1 for ${cost.FIELDS_OF_AN_OBJECT} of its fields`)
  const [[text = '', costs] = []] = rows(document('docs/api.md'), /^`(\{.*\})` costs (\d+)\./gm)
  expect(operationsOf(schema)(text, null).costWith({})).toBe(Number(costs))
})

it('every GraphQL example in the documents is valid for the schema', () => {
  const examples = rows(document('docs/api.md'), /```graphql\n([\s\S]*?)```/g).flat()
  expect(examples.length).toBeGreaterThan(5)
  for (const example of examples) expect(validate(schema, parse(example ?? '')), example).toEqual([])
})

it('the tree in the README matches the folders', () => {
  const tree = document('README.md').match(/## The tree\n\n```\n([\s\S]*?)```/)?.[1] ?? ''
  const parents: string[] = []
  const paths = tree.split('\n').flatMap((line) => {
    const [, indent = '', name] = /^( *)(\S+)/.exec(line) ?? []
    if (!name) return []
    parents.splice(indent.length / 2)
    parents.push(name)
    return [parents.join('')]
  })
  for (const path of paths) expect(existsSync(path), path).toBe(true)
  const entries = readdirSync('server', { withFileTypes: true, recursive: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => `${parentPath}/${name}/`)
  for (const folder of folders) expect(paths, 'every folder of the server is in it').toContain(folder)
})

it('the documents name the package with its version', () => {
  const { name, version } = JSON.parse(document('package.json'))
  const named = ['README.md', 'docs/operations.md'].flatMap((path) => rows(document(path), /(\S+)\.tgz/g).flat())
  expect(named.length).toBeGreaterThan(1)
  for (const path of named) expect(path).toMatch(new RegExp(`^\\./(release/)?${name}-${version}$`))
})

it('A1, A4: the call in the README works as written', async ({ world, key: { secret }, call: callByKey }) => {
  await callByKey('mutation { createDevice(input: { name: "edge-1" }) { id } }')
  const call = document('README.md').match(/```sh\n(curl [\s\S]*?)```/)?.[1] ?? ''
  const [url = ''] = call.match(/http:\S+/) ?? []
  const headers = rows(call, /-H ['"]([^:]+): ([^'"]+)['"]/g).map(([name = '', value = '']) => [
    name,
    value.replace('$API_SECRET', secret),
  ])
  const body = call.match(/-d '(.*)'/)?.[1] ?? ''

  const response = await fetch(url.replace('http://127.0.0.1:4000', world.url), {
    method: 'POST',
    headers: Object.fromEntries(headers),
    body,
  })
  expect(await response.json()).toEqual({ data: { devices: { data: [{ id: expect.any(String), name: 'edge-1' }] } } })
})
