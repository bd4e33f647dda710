import { GraphQLString } from 'graphql'
import { describe, expect, vi } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { byKey } from '../../test/support/world/keyed-calls.ts'
import { type Person, startWorld } from '../../test/support/world/world.ts'
import { MAX_BODY_BYTES } from './operation-limits.ts'
import { requireBulk } from './variables.ts'

const QUERY = 'query ($filter: ApiKeyFilter) { apiKeys(filter: $filter) { data { id } } }'

const it = inWorld(startWorld)

const ask = async (ada: Person, filter: object) => {
  const { errors = [] } = await ada.call(QUERY, { filter })
  return errors.map(({ code, extensions }) => `${code} ${extensions?.['field']}`)
}
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]))

it('the first ten invalid variables are reported', async ({ ada }) => {
  for (let sighting = 0; sighting < 3; sighting++) {
    expect(await ask(ada, fields(1))).toEqual(['BAD_USER_INPUT filter'])
    expect(await ask(ada, fields(500))).toEqual(Array(10).fill('BAD_USER_INPUT filter'))
  }
})

it('variables of a mutation are coerced once, also where they would run dry', async ({ world, key }) => {
  const query =
    'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { device { id } } } }'
  for (const dryRun of [false, true]) {
    const coerce = vi.spyOn(GraphQLString, 'parseValue')
    const inputs = Array.from({ length: 50 }, (_, i) => ({ name: `edge-${i}` }))
    await byKey(world, key.secret)({ query, variables: { inputs }, extensions: { dryRun } })
    expect(coerce).toHaveBeenCalledTimes(inputs.length)
    coerce.mockRestore()
  }
})

it('more than 10,000 values are refused unread, wherever they are', async ({ ada }) => {
  for (const filter of [{ ids: Array(10_000).fill('x') }, { ids: Array(25).fill(fields(400)) }]) {
    expect(await ask(ada, filter)).toEqual(['BAD_USER_INPUT variables'])
  }
  const { errors } = await ada.call('{ viewer { role } }', { a: Array(10_000).fill(1) })
  expect(errors).toMatchObject([{ message: 'variables: at most 10000 values in all.' }])
})

it('an object with more than 500 fields is refused unseen, wherever it is', async ({ ada }) => {
  for (const filter of [fields(501), { ids: [fields(501)] }]) {
    expect(await ask(ada, filter)).toEqual(['BAD_USER_INPUT variables'])
  }
  const { errors } = await ada.call('{ viewer { role } }', fields(501))
  expect(errors).toMatchObject([{ message: 'variables: at most 500 fields in an object.' }])
})

it.for([51, 5_000, 40_000])(
  'variables of %i levels are refused, also where they would be recorded or run dry',
  async (levels, { world, key }) => {
    const query = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
    const variables = `{"input":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`
    const plain = { 'content-type': 'application/json', 'api-secret': key.secret }
    for (const headers of [plain, { ...plain, 'idempotency-key': crypto.randomUUID() }]) {
      for (const dryRun of [false, true]) {
        const body = `{"query":"${query}","variables":${variables},"extensions":{"dryRun":${dryRun}}}`
        const response = await fetch(`${world.url}/graphql`, { method: 'POST', headers, body })
        expect(await response.json()).toMatchObject({ errors: [{ message: 'variables: at most 50 levels deep.' }] })
      }
    }
  },
)

it('50 levels are not too deep', async ({ ada }) => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
  expect(await ask(ada, nested(50))).toEqual(['BAD_USER_INPUT filter'])
  expect(await ask(ada, nested(51))).toEqual(['BAD_USER_INPUT variables'])
})

it('the limit is told with that of a list of inputs only where there is one', () => {
  const refused = (variables: object) => () => requireBulk(2 * MAX_BODY_BYTES, { ...variables })
  expect(refused({ pad: ['x'] })).toThrow(/: at most 256 KiB\.$/)
  expect(refused({ inputs: [{}] })).toThrow(
    ': at most 288 KiB, which is 256 KiB and 32 KiB for each input of a list in the variables. Send fewer in a call.',
  )
})

describe('in a request that is large by the inputs of a list', () => {
  const WRONG = fields(10)
  const inputs = (first: unknown, count = 500) => ({
    inputs: Array.from({ length: count }, (_, i) => (i ? {} : first)),
  })
  const LARGE = Array.from({ length: 450 }, (_, i) => [`k${i}`, 'x'.repeat(2_000)])

  it.for<[string, object]>([
    ['one has a long text', inputs({ name: '\ud800'.repeat(1_100_000), ...WRONG })],
    ['one has a long text inside', inputs({ location: { name: '\ud800'.repeat(1_100_000), ...WRONG } })],
    ['one has a field with a long name', inputs({ ['x'.repeat(300_000)]: 0, ...WRONG })],
    ['one has many texts', inputs(Object.fromEntries(LARGE))],
    ['one is a list', inputs(Object.values(Object.fromEntries(LARGE)))],
    ['another variable is long', { ...inputs({}), other: 'x'.repeat(300_000) }],
  ])('%s: it is refused, and nothing of it is printed', async ([_what, variables], { world, key }) => {
    const query = 'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { atomic } }'
    const cpuMs: number[] = []
    for (let i = 0; i < 3; i++) {
      const before = process.threadCpuUsage()
      const { errors } = await world.asKey(key.secret).call(query, variables)
      const { user, system } = process.threadCpuUsage(before)
      cpuMs.push((user + system) / 1_000)
      const message = expect.stringContaining('at most 32 KiB for each input of a list')
      expect(errors).toMatchObject([{ code: 'PAYLOAD_TOO_LARGE', message }])
    }
    expect(Math.min(...cpuMs)).toBeLessThan(500) // for client and server: reading it takes a hundred
  })
})
