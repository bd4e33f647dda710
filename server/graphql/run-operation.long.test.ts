import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql'
import { expect } from 'vitest'
import { OPERATIONS } from '../../test/contract/operations.ts'
import { createRandom } from '../../test/fault/random.ts'
import type { GraphqlCall } from '../../test/fuzz/call.ts'
import { generateDocument } from '../../test/fuzz/document.ts'
import { SEEN } from '../../test/fuzz/seen-documents.ts'
import { trickyDocument } from '../../test/fuzz/tricky-document.ts'
import { knownOf } from '../../test/fuzz/world.ts'
import { seed } from '../../test/support/seed.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { operationsOf } from '../../test/support/world/operations.ts'
import { adminCtx } from '../../test/support/world/request-ctx.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { schema } from '../endpoints/schema.ts'
import { createLog } from '../lib/log.ts'
import type { RequestCtx } from './builder.ts'
import type { Variables } from './page-arguments.ts'
import type { Operation } from './prepared-operations.ts'
import { runOperation } from './run-operation.ts'

const it = inWorld(startWorld).extend('devices', { scope: 'file', auto: true }, async ({ call }) => {
  const names = ['edge-1', 'edge-2', 'Edge-3']
  for (const name of names) {
    const input = { name, tags: ['a', name], location: { name: 'Lyon', latitude: 45.7, timeZone: 'Europe/Paris' } }
    await call('mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }', { input })
  }
  return names
})

/** Each is run by its plan, and by graphql-js. */
const PLANNED: [string, object?][] = [
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
  // fragments and fields that are repeated
  [
    '{ devices { ...F ... { totalCount } ... on DeviceList { data { tags } } data { id } ...F } } fragment F on DeviceList { data { name } }',
  ],
  ['{ data_devices: devices { data { id enabled firmwareVersion status } } devices { data { id } } }'],
  ['{ device(id: "none") { id } device(id: "none") { name } }'],
  // variables: absent inside of an object or a list, with defaults, with names of objects
  ['query ($s: DeviceStatus) { devices(filter: { status: $s, enabled: true }) { data { name } } }'],
  [
    'query ($t: String!, $s: DeviceStatus) { devices(filter: { tags: [$t], status: $s }) { data { name } } }',
    { t: 'a' },
  ],
  ['query ($n: Int! = 1) { devices(first: $n) { data { name } } }'],
  ['query ($id: ID = "x") { device(id: $id) { name } }', { id: null }],
  ['query ($constructor: String) { devices(search: $constructor) { data { name } } }'],
  ['query ($toString: Int) { devices(first: $toString) { constructor: data { valueOf: name } } }'],
  [
    'query ($since: DateTime) { auditEvents(filter: { since: $since }) { data { at } } }',
    { since: '2000-01-01T00:00:00Z' },
  ],
  ['query ($since: DateTime) { auditEvents(filter: { since: $since }) { data { at } } }', { since: 'yesterday' }],
  // variables that do not fit
  ['query ($n: Int) { devices(first: $n) { data { id } } }', { n: 'ten' }],
  ['query ($n: Int!) { devices(first: $n) { data { id } } }', {}],
  ['query ($f: DeviceFilter) { devices(filter: $f) { data { name } } }', { f: { nonsense: 1, status: 'ASLEEP' } }],
]

/** Run by graphql-js alone. */
const UNPLANNED = [
  'mutation { deleteDevice(id: "none") }',
  '{ devices { data { id @include(if: true) } } }',
  '{ devices { ...F @skip(if: false) } } fragment F on DeviceList { totalCount }',
  '{ devices { data { __proto__: __typename id } } }',
  '{ __schema { queryType { name } } }',
]

/** Where fields are asked for at once, their refusals come in the order in which the database happened to answer. */
function inOrderOfPaths(result: FormattedExecutionResult): FormattedExecutionResult {
  const pathOf = ({ path = [] }: GraphQLFormattedError) => path.join()
  const errors = result.errors?.toSorted((a, b) => pathOf(a).localeCompare(pathOf(b)))
  return { ...result, ...(errors && { errors }) }
}

/** The answers of the plan and of graphql-js. */
async function runBoth(operation: Operation, ctx: RequestCtx, variables: Variables): Promise<[string, string]> {
  const run = async (each: Operation) =>
    JSON.stringify(inOrderOfPaths(await runOperation(each, ctx, variables, createLog('silent'))))
  return [await run(operation), await run({ ...operation, plan: undefined })]
}

for (const [text, variables = {}] of PLANNED) {
  it(`a plan answers as graphql-js does: ${text.slice(0, 90)} ${JSON.stringify(variables)}`, async ({
    world,
    acme,
  }) => {
    const operation = operationsOf(schema)(text)
    expect(operation.plan).toBeDefined()
    const [planned, plain] = await runBoth(operation, await adminCtx(world, acme), variables as Variables)
    expect(planned).toBe(plain)
    expect(planned).not.toContain('INTERNAL')
  })
}

it.each(UNPLANNED)('has no plan: %s', (text) => {
  expect(operationsOf(schema)(text).plan).toBeUndefined()
})

it('a plan answers as graphql-js does: documents of clients, of the contract, generated and tricky ones', async ({
  world,
  acme,
}) => {
  const random = createRandom(seed)
  const known = { ...knownOf(), tags: ['a', 'edge-1'] }
  const generated = Array.from({ length: 150 }, (_, i) =>
    generateDocument(schema, { random, known, isTame: i % 3 > 0, operation: 'query' }),
  )
  const tricky = Array.from({ length: 600 }, () => trickyDocument(random))
  const contract = Object.values(OPERATIONS).map(({ document }) => ({ query: document, variables: { id: 'none' } }))
  const find = operationsOf(schema)
  const ctx = await adminCtx(world, acme)
  const counts = { refused: 0, unplanned: 0, same: 0 }
  for (const { query, variables = {}, operationName = null } of [
    ...generated,
    ...SEEN,
    ...tricky,
    ...contract,
  ] as GraphqlCall[]) {
    try {
      ctx.cost = find(query, operationName).costWith(variables)
    } catch {
      counts.refused++
      continue
    }
    const operation = find(query, operationName)
    if (!operation.plan) {
      counts.unplanned++
      continue
    }
    counts.same++
    const [planned, plain] = await runBoth(operation, ctx, variables)
    expect(planned, `seed ${seed}: ${query} ${JSON.stringify(variables)}`).toBe(plain)
  }
  expect(counts.same, JSON.stringify({ seed, ...counts })).toBeGreaterThan(250)
})

const BROKEN = '{ organization { createdAt } devices { data { status lastSeenAt } } rateLimit { resetAt } }'

it('masks a bug, by a plan and without one, and logs it with the request id', async ({ world, acme }) => {
  const operation = operationsOf(schema)(BROKEN)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const ctx: RequestCtx = {
    ...(await adminCtx(world, acme)),
    now: () => Number('the wall clock fell from table "wall"'),
    rateLimit: { name: 'requests_of_caller', limit: 1, remaining: 1, resetAt: Number.NaN },
  }
  for (const plan of [operation.plan, undefined]) {
    const { errors } = await runOperation({ ...operation, plan }, ctx, {}, log)
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

it.for([
  ['by its plan', ''],
  ['by graphql-js', '@include(if: true)'],
])('a heavy query that fails is executed once: %s', async ([_by, condition], { world, acme }) => {
  const operation = operationsOf(schema)(
    `{ rateLimit { cost } device(id: "none") { id ${condition} } devices(first: 500) { data { id } } }`,
  )
  expect(operation.plan !== undefined).toBe(condition === '')
  let reads = 0
  const ctx = Object.defineProperty(await adminCtx(world, acme), 'rateLimit', {
    get: () => {
      reads++
    },
  })
  ctx.cost = operation.costWith({})
  const { errors, data } = await runOperation(operation, ctx, {}, createLog('silent'))
  expect([errors?.length, data?.['devices'] !== undefined, reads]).toEqual([1, true, 1])
})

it('C16: of 20,000 invalid values each is read once, and ten are reported', async ({ world, acme }) => {
  const operation = operationsOf(schema)('query ($f: DeviceFilter) { devices(first: 1, filter: $f) { data { id } } }')
  let reads = 0
  const get = (tags: number[], key: string | symbol) => {
    reads++
    return Reflect.get(tags, key)
  }
  const tags = new Proxy(Array<number>(20_000).fill(1), { get })
  const ctx = await adminCtx(world, acme)
  const { errors = [] } = await runOperation(operation, ctx, { f: { tags } }, createLog('silent'))
  expect(errors).toHaveLength(10)
  expect(reads).toBeLessThan(50_000)
})
