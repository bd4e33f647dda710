import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql'
import { expect } from 'vitest'
import { OPERATIONS } from '../../test/contract/operations.ts'
import { createRandom } from '../../test/fault/random.ts'
import type { GraphqlCall } from '../../test/fuzz/call.ts'
import { generateDocument } from '../../test/fuzz/document.ts'
import { SEEN } from '../../test/fuzz/seen-documents.ts'
import { trickyDocument } from '../../test/fuzz/tricky-document.ts'
import { knownOf } from '../../test/fuzz/world.ts'
import { inWorld } from '../../test/support/fixtures.ts'
import { operationsOf } from '../../test/support/operations.ts'
import { adminCtx } from '../../test/support/request-ctx.ts'
import { seed } from '../../test/support/seed.ts'
import { startWorld } from '../../test/support/world.ts'
import { createLog } from '../lib/log.ts'
import { schema } from '../schema.ts'
import type { RequestCtx } from './builder.ts'
import { runOperation } from './execute.ts'

const it = inWorld(startWorld).extend('devices', { scope: 'file', auto: true }, async ({ call }) => {
  const names = ['edge-1', 'edge-2', 'Edge-3']
  for (const name of names) {
    const input = { name, tags: ['a', name], location: { name: 'Lyon', latitude: 45.7, timeZone: 'Europe/Paris' } }
    await call('mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }', { input })
  }
  return names
})

const F = 'fragment F on Device { name }'

const COMPILED: [string, object?][] = [
  ['query ($n: Int = 1) { devices(first: $n) { data { id } } }'],
  ['query ($n: Int = 1) { devices(first: $n) { data { id } } }', { n: 3 }],
  ['{ devices { data { id name } } }'],
  [
    '{ viewer { role user { id } apiKey { id } organization { slug kind createdAt } organizations { name } } __typename }',
  ],
  ['query Named { organization { id apiKeysEnabled activeApiKeyCount } rateLimit { cost } }'],
  [
    '{ devices(first: 2) { data { __typename tags status location { name latitude longitude timeZone } lastSeenAt } pageInfo { hasNextPage endCursor } totalCount } }',
  ],
  [
    'query ($f: DeviceFilter) { devices(filter: $f, search: "EDGE") { data { name } } }',
    { f: { tags: ['a'], status: 'NEVER_SEEN', enabled: true } },
  ],
  [
    '{ a: devices(first: 1) { data { n: name } } b: devices(first: 1) { ...d } } fragment d on DeviceList { data { ... on Device { n: name } } }',
  ],
  ['{ devices { ...x } } fragment x on DeviceList { data { ...y id } } fragment y on Device { name id }'],
  [
    '{ apiKeys { data { label createdBy { kind name } expiresAt } } users { data { email role invited } } auditEvents(first: 3) { data { action actor { kind } } } }',
  ],
  // refusals: nullable and not, nested, several at once
  ['{ device(id: "none") { id } viewer { role } }'],
  ['{ devices(first: 0) { data { id } } }'],
  ['{ a: device(id: "none") { id } b: apiKey(id: "none") { id } viewer { role } }'],
  ['{ devices(after: "garbage") { data { id } } }'],
  ['{ supportOrganizations { data { id } } }'],
  ['{ a: devices(first: 0) { data { id } } b: devices(after: "garbage") { data { id } } }'],
  ['{ a: device(id: "") { id } b: devices(first: 0) { data { id } } c: device(id: "") { id } }'],
  // variables that do not fit
  ['query ($n: Int) { devices(first: $n) { data { id } } }', { n: 'ten' }],
  ['query ($n: Int!) { devices(first: $n) { data { id } } }', {}],
  ['query ($f: DeviceFilter) { devices(filter: $f) { data { name } } }', { f: { nonsense: 1, status: 'ASLEEP' } }],
]

/** What graphql-jit would answer differently, or run: see compilable.ts. */
const PLAIN: [string, object?][] = [
  [
    'query ($n: Int = 1, $with: Boolean!) { devices(first: $n) { data { id name @include(if: $with) } totalCount @skip(if: $with) } }',
    { with: true },
  ],
  [
    'query ($n: Int = 1, $with: Boolean!) { devices(first: $n) { data { id name @include(if: $with) } totalCount @skip(if: $with) } }',
    { n: 3, with: false },
  ],
  [
    'query ($since: DateTime) { auditEvents(filter: { since: $since }) { data { at } } }',
    { since: '2000-01-01T00:00:00Z' },
  ],
  ['mutation { deleteDevice(id: "none") }'],
  ['mutation { a: renameApiKey(id: "none", label: "x") { id } b: updateOrganization(input: { name: "" }) { id } }'],
  ['query ($since: DateTime) { auditEvents(filter: { since: $since }) { data { at } } }', { since: 'yesterday' }],
  ['query ($id: ID = "x") { device(id: $id) { name } }', { id: null }],
  // text that becomes code
  ['{ device(id: "__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.planted = 1") { id } }'],
  ['{ device(id: "\\u005f_MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.planted = 1") { id } }'],
  ['{ device(id: """__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.planted = 1""") { id } }'],
  ['{ devices(search: "__MAGIC_NAN__57f286b9_4c20_487f_b409_79804ddcb4f8") { totalCount } }'],
  [
    'query ($s: String = "__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.planted = 1") { devices(search: $s) { totalCount } }',
  ],
  // a variable that is absent inside of an object or a list
  ['query ($s: DeviceStatus) { devices(filter: { status: $s, enabled: true }) { data { name } } }'],
  [
    'query ($t: String!, $s: DeviceStatus) { devices(filter: { tags: [$t], status: $s }) { data { name } } }',
    { t: 'a' },
  ],
  // defaults
  ['query ($n: Int! = 1) { devices(first: $n) { data { name } } }'],
  // conditions of fragments
  [`query ($a: Boolean!) { devices { data { id ...F @include(if: $a) ...F } } } ${F}`, { a: false }],
  [
    `query ($a: Boolean!) { x: devices { data { id ...F @include(if: $a) } } y: devices { data { id ...F } } } ${F}`,
    { a: false },
  ],
  [`query ($a: Boolean!) { devices { data @include(if: $a) { ...F } data { id } } } ${F}`, { a: false }],
  ['query ($a: Boolean = true) { viewer { role } devices @include(if: $a) { totalCount } }', { a: null }],
  // names that meet
  ['{ data_devices: devices { data { id enabled firmwareVersion status } } devices { data { id } } }'],
  ['{ devices { data { __proto__: __typename id } } }'],
  ['query ($constructor: String) { devices(search: $constructor) { data { name } } }'],
  ['query ($toString: Int) { devices(first: $toString) { constructor: data { valueOf: name } } }'],
  ['query ($f: DeviceFilter, $status_f: String) { devices(filter: $f, search: $status_f) { data { name } } }'],
]

/** Where fields are asked for at once, their refusals come in the order in which the database happened to answer. */
function inOrderOfPaths(result: FormattedExecutionResult): FormattedExecutionResult {
  const pathOf = ({ path = [] }: GraphQLFormattedError) => path.join()
  const errors = result.errors?.toSorted((a, b) => pathOf(a).localeCompare(pathOf(b)))
  return { ...result, ...(errors && { errors }) }
}

for (const [text, variables = {}] of COMPILED) {
  it(`compiled and plain execution answer the same: ${text.slice(0, 70)} ${JSON.stringify(variables)}`, async ({
    world,
    acme,
  }) => {
    const [plain, compiled] = await runTwice(await adminCtx(world, acme), text, variables)
    expect([plain.compiled, compiled.compiled]).toEqual([false, true])
    expect(compiled.json).toBe(plain.json)
    expect(plain.json).not.toContain('INTERNAL')
  })
}

for (const [text, variables = {}] of PLAIN) {
  it(`is answered the same each time: ${text.slice(0, 90)} ${JSON.stringify(variables)}`, async ({ world, acme }) => {
    const [plain, again] = await runTwice(await adminCtx(world, acme), text, variables)
    expect(globalThis).not.toHaveProperty('planted')
    expect(again.json).toBe(plain.json)
    expect(again.compiled).toBe(false)
  })
}

async function runTwice(ctx: RequestCtx, text: string, variables: object) {
  const find = operationsOf(schema)
  const run = async () => {
    const operation = find(text, null)
    const result = await runOperation(operation, ctx, variables as Record<string, unknown>, createLog('silent'))
    return { compiled: operation.compiled !== undefined, json: JSON.stringify(inOrderOfPaths(result)) }
  }
  return [await run(), await run()] as const
}

it('compiled and plain execution answer the same: generated documents, seen ones and those of the contract', async ({
  world,
  acme,
}) => {
  const random = createRandom(seed)
  const known = { ...knownOf(), tags: ['a', 'edge-1'] }
  const generated = Array.from({ length: 60 }, (_, i) =>
    generateDocument(schema, { random, known, isTame: i % 3 > 0, operation: 'query' }),
  )
  const contract = Object.values(OPERATIONS).map(({ document }) => ({ query: document, variables: { id: 'none' } }))
  const queries = [...generated, ...SEEN, ...contract].filter(({ query }) => !query.trimStart().startsWith('mutation'))
  const find = operationsOf(schema, { compilingMs: Number.POSITIVE_INFINITY })
  const ctx = await adminCtx(world, acme)
  let compared = 0
  for (const { query, variables = {}, operationName = null } of queries as GraphqlCall[]) {
    const run = async () => {
      const operation = find(query, operationName)
      ctx.cost = operation.costWith(variables)
      const result = inOrderOfPaths(await runOperation(operation, ctx, variables, createLog('silent')))
      return { compiled: operation.compiled !== undefined, result }
    }
    const plain = await run().catch((error: unknown) => error)
    if (plain instanceof Error) continue // refused before it runs
    const [{ result }, again] = [plain as Awaited<ReturnType<typeof run>>, await run()]
    if (!again.compiled) continue // introspection, and what is too wide
    compared++
    const why = `seed ${seed}: ${query} ${JSON.stringify(variables)}`
    expect(JSON.stringify(again.result), why).toBe(JSON.stringify(result))
  }
  expect(compared, `seed ${seed}`).toBeGreaterThan(40)
})

it('compiled and plain execution answer the same: whatever a compiler could treat differently', async ({
  world,
  acme,
}) => {
  const random = createRandom(seed)
  const find = operationsOf(schema, { compilingMs: Number.POSITIVE_INFINITY })
  const ctx = await adminCtx(world, acme)
  const counts = { invalid: 0, plain: 0, compiled: 0 }
  for (let i = 0; i < 600; i++) {
    const { query, variables } = trickyDocument(random)
    const run = async () => {
      const operation = find(query)
      const result = inOrderOfPaths(await runOperation(operation, ctx, variables, createLog('silent')))
      return { isCompiled: operation.compiled !== undefined, json: JSON.stringify(result) }
    }
    const plain = await run().catch(() => undefined)
    if (!plain) {
      counts.invalid++
      continue
    }
    const again = await run()
    counts[again.isCompiled ? 'compiled' : 'plain']++
    expect(again.json, `seed ${seed}: ${query} ${JSON.stringify(variables)}`).toBe(plain.json)
  }
  expect(counts.compiled, JSON.stringify({ seed, ...counts })).toBeGreaterThan(150)
})

it('compiled and plain execution answer the same where an error leaves no data, and another field failed before', async ({
  world,
  acme,
}) => {
  const { id } = await acme.generateKey({ label: 'a' })
  const text = `{ apiKey(id: "${id}") { usage(since: "x") { at } } devices(first: 0) { totalCount } }`
  const [plain, compiled] = await runTwice(await adminCtx(world, acme), text, {})
  expect(compiled.compiled).toBe(true)
  expect(compiled.json).toBe(plain.json)
})

it('masks a bug, in plain and compiled execution, and logs it with the request id', async ({ world, acme }) => {
  const find = operationsOf(schema)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const broken = { ...(await adminCtx(world, acme)), now: () => Number('the wall clock fell from table "wall"') }
  for (let sighting = 0; sighting < 2; sighting++) {
    const { errors } = await runOperation(
      find('{ organization { createdAt } devices { data { status lastSeenAt } } rateLimit { resetAt } }', null),
      { ...broken, rateLimit: { name: 'requests_of_caller', limit: 1, remaining: 1, resetAt: Number.NaN } },
      {},
      log,
    )
    expect(errors).toMatchObject([
      { message: expect.stringContaining('Something went wrong'), extensions: { code: 'INTERNAL', requestId: 'r-1' } },
    ])
    expect(JSON.stringify(errors)).not.toMatch(/Invalid time|RangeError/)
  }
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'error', msg: 'bug', requestId: 'r-1', err: { message: expect.stringContaining('Invalid time') } },
    { level: 'error', msg: 'bug', requestId: 'r-1' },
  ])
})

it('C16: invalid variables cost no more in compiled than in plain execution', async ({ world, acme }) => {
  const find = operationsOf(schema)
  const ctx = await adminCtx(world, acme)
  const text = 'query ($f: DeviceFilter) { devices(first: 1, filter: $f) { data { id } } }'
  /** How often invalid values are read. */
  const readsOf = async () => {
    let reads = 0
    const get = (tags: number[], key: string | symbol) => {
      reads++
      return Reflect.get(tags, key)
    }
    const tags = new Proxy(Array<number>(20_000).fill(1), { get })
    const { errors = [] } = await runOperation(find(text, null), ctx, { f: { tags } }, createLog('silent'))
    return { errors: errors.length, reads }
  }
  const plain = await readsOf()
  await runOperation(find(text, null), ctx, {}, createLog('silent'))
  expect(find(text, null).compiled).toBeDefined()
  expect(await readsOf()).toEqual(plain) // it took 140 times as long, and 2 s with 120,000 of them
})
