import { parse, validate } from 'graphql'
import { expect, it } from 'vitest'
import { createRandom } from '../fault/random.ts'
import { seed } from '../support/seed.ts'
import { newSender } from '../support/world/leak-sender.ts'
import { bodyOf, readSchema } from './call.ts'
import { type Credentials, callersOf, LETTERS, newCredentials } from './callers.ts'
import { generateDocument } from './document.ts'
import type { Letter } from './organization-rows.ts'
import { HOSTILE_KINDS } from './receivers.ts'
import { stepOf } from './steps.ts'
import { sweepDocument, sweepTargets } from './sweep.ts'
import { knownOf } from './world.ts'
import { worstDocument } from './worst.ts'

const schema = readSchema()
const known = knownOf()
const targets = sweepTargets(schema)
const credentials = Object.fromEntries(LETTERS.map((letter) => [letter, newCredentials()])) as Record<
  Letter,
  Credentials
>
const source = { schema, known, targets, callers: callersOf(credentials), sender: newSender('fuzz') }
const problemsOf = (query: string) => validate(schema, parse(query)).map(({ message }) => message)
const range = (length: number) => Array.from({ length }, (_, i) => i)

it('documents with plain values are valid for the schema', () => {
  const random = createRandom(seed)
  for (const operation of ['query', 'mutation'] as const) {
    for (const i of range(150)) {
      const { query } = generateDocument(schema, { random, known, isTame: true, operation })
      expect(problemsOf(query), `seed ${seed}, ${operation} ${i}: ${query}`).toEqual([])
    }
  }
})

it('documents with edge values are still GraphQL', () => {
  const random = createRandom(seed)
  const texts = range(200).map(
    () => generateDocument(schema, { random, known, isTame: false, operation: 'query' }).query,
  )
  const broken = texts.filter((query) => !query.includes('\\ud800') && !query.includes('\\udc00')).filter(isNoDocument)
  expect(broken).toEqual([])
})

function isNoDocument(query: string): boolean {
  try {
    parse(query)
    return false
  } catch {
    return true
  }
}

it('the most expensive documents are valid for the schema in their smallest size', () => {
  const random = createRandom(seed)
  for (const turn of range(33)) {
    const { shape, callsOf } = worstDocument(schema, turn, { random, known, seed })
    for (const { query } of callsOf(1)) expect(problemsOf(query), `seed ${seed}, ${shape}: ${query}`).toEqual([])
  }
})

it('the most expensive documents reach every list of the schema', () => {
  const random = createRandom(seed)
  const queries = range(99).flatMap((turn) => {
    const { sizes, callsOf } = worstDocument(schema, turn, { random, known, seed })
    return callsOf(sizes[0] ?? 1).map(({ query }) => query)
  })
  const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ args }) =>
    args.some(({ name }) => name === 'first'),
  )
  expect(lists.length).toBeGreaterThan(4)
  for (const { name } of lists) {
    expect(
      queries.some((query) => query.includes(`a9: ${name}`)),
      `${name}, many times`,
    ).toBe(true)
    expect(
      queries.some((query) => query.startsWith(`{ ${name}`)),
      `${name}, nested`,
    ).toBe(true)
  }
})

it('every argument and every input field has its edge values', () => {
  const named = (field: string, value: unknown) =>
    targets.filter((target) => target.field.name === field && target.value === value)
  expect(named('auditEvents', '1969-12-31T23:59:59Z').map(({ path }) => path)).toEqual([['since'], ['until']])
  expect(named('devices', -1)).toHaveLength(1)
  expect(named('usage', '0000-01-01T00:00:00Z')).toHaveLength(1)
  const options = { random: createRandom(seed), known, isTame: true }
  const spoken = targets.map((target) => sweepDocument(target, options).query)
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      for (const { name } of field.args) {
        expect(
          spoken.some((query) => query.includes(`${field.name}(`) && query.includes(`${name}: `)),
          `${field.name} ${name}`,
        ).toBe(true)
      }
    }
  }
})

it('the same seed gives the same steps, another seed others', () => {
  const steps = (seed: number) =>
    range(60).map((number) => {
      const { caller, worst } = stepOf(number, { ...source, seed })
      return [caller.name, worst.shape, worst.callsOf(worst.sizes[0] ?? 1).map(bodyOf)]
    })
  expect(steps(7)).toEqual(steps(7))
  expect(steps(7)).not.toEqual(steps(8))
})

it('a short run has every kind of message and of receiver, large writes, and everything that is stored', () => {
  const steps = range(600).map((number) => stepOf(number, { ...source, seed }).worst)
  const shapes = new Set(steps.map(({ shape }) => shape.replace(/^(auth|stored|dry run).*/, '$1')))
  expect([...shapes]).toEqual(
    expect.arrayContaining(['mcp initialize', 'mcp ping', 'mcp tools/list', 'mcp tools/call', 'auth', 'leaks']),
  )
  expect([...shapes]).toEqual(
    expect.arrayContaining([
      'mcp wide initialize',
      'mcp wide tools/call',
      'receivers',
      'stored',
      'upsertDevices',
      'dry run',
      'steady writes',
    ]),
  )
  const asked = steps.filter(({ shape }) => shape === 'receivers').flatMap(({ callsOf }) => callsOf(1).map(bodyOf))
  for (const kind of HOSTILE_KINDS)
    expect(
      asked.some((body) => body.includes(`mutation ${kind} `)),
      kind,
    ).toBe(true)
})

it('every kind of caller is used', () => {
  const names = new Set(range(1500).map((number) => stepOf(number, { ...source, seed }).caller.name))
  expect([...names].sort()).toEqual(source.callers.map(({ name }) => name).sort())
})
