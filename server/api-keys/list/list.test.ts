import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { mintSecret } from '../../secrets/secret.ts'

const LIST = `query ($first: Int, $after: String, $search: String, $sort: ApiKeySort, $filter: ApiKeyFilter) {
  apiKeys(first: $first, after: $after, search: $search, sort: $sort, filter: $filter) {
    data { id label prefix } pageInfo { hasNextPage endCursor } totalCount
  }
}`

interface List {
  data: { id: string; label: string; prefix: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  totalCount: number
}

const it = inOrganization(startWorld)

const list = async (acme: TestOrganization, args: object = {}) => fieldOf<List>(await acme.call(LIST, args))
const labels = async (acme: TestOrganization, args: object = {}) =>
  (await list(acme, args)).data.map(({ label }) => label)

interface Times {
  createdAt?: number
  lastUsedAt?: number | null
  expiresAt?: number | null
}

/** Keys with these labels, as if they had been generated, used and so on at these times. */
async function keys(world: World, acme: TestOrganization, all: Record<string, Times & { access?: string }>) {
  for (const [label, { access, ...times }] of Object.entries(all)) {
    const { id } = await acme.generateKey({ label, ...(access && { access }) })
    if (Object.keys(times).length === 0) continue
    await world.database.transaction((db) => db.updateTable('apiKey').set(times).where('id', '=', id).execute())
  }
}

it('searches labels, prefixes and creators, in any case', async ({ world, acme, ada }) => {
  await keys(world, acme, { 'Nightly Export': {}, 'ÖBB import': {}, ci: {} })
  expect(await labels(acme, { search: 'EXPORT' })).toEqual(['Nightly Export'])
  expect(await labels(acme, { search: 'öbb' })).toEqual(['ÖBB import'])
  expect(await labels(acme, { search: '%' })).toEqual([])
  const [newest] = (await list(acme)).data
  expect(await labels(acme, { search: newest?.prefix })).toEqual(['ci'])
  expect(await labels(acme, { search: ada.name })).toHaveLength(3)
  expect(await labels(acme, { search: ' ' })).toHaveLength(3)
  expect((await list(acme, { search: 'port', first: 1 })).totalCount).toBe(2)
})

it.for<[string, string[]]>([
  ['CREATED_AT', ['b', 'a', 'C', 'd']],
  ['LABEL', ['a', 'b', 'C', 'd']],
  ['LAST_USED_AT', ['b', 'd', 'a', 'C']],
  ['EXPIRES_AT', ['d', 'a', 'b', 'C']],
])('sorts by %s, with equal and absent values in the order of creation', async ([by, expected], { world, acme }) => {
  const at = world.clock.now()
  await keys(world, acme, {
    b: { lastUsedAt: null, expiresAt: null },
    a: { lastUsedAt: at - HOUR, expiresAt: at + 2 * DAY },
    C: { lastUsedAt: at - HOUR, expiresAt: null },
    d: { lastUsedAt: null, expiresAt: at + DAY },
  })
  expect(await labels(acme, { sort: { by } })).toEqual(expected)
  expect(await labels(acme, { sort: { by, direction: 'DESC' } })).toEqual(expected.toReversed())
})

it('pages of every order and direction go on where the last one ended, also when a key is revoked in between', async ({
  world,
  acme,
}) => {
  const at = world.clock.now()
  const times = [null, at - 1, null, at - 1, at - 2]
  await keys(
    world,
    acme,
    Object.fromEntries(times.map((time, i) => [`k${i % 2}-${i}`, { lastUsedAt: time, expiresAt: time && time + DAY }])),
  )
  for (const by of ['CREATED_AT', 'LABEL', 'LAST_USED_AT', 'EXPIRES_AT']) {
    for (const direction of ['ASC', 'DESC']) {
      const sort = { by, direction }
      const whole = (await list(acme, { sort })).data
      const seen = []
      let after: string | null = null
      for (let page = 0; page < 3; page++) {
        const { data, pageInfo }: List = await list(acme, { sort, first: 2, after })
        seen.push(...data)
        expect(pageInfo.hasNextPage).toBe(page < 2)
        after = pageInfo.endCursor
      }
      expect([by, direction, seen]).toEqual([by, direction, whole])
    }
  }
  const sort = { by: 'LABEL' }
  const { data, pageInfo } = await list(acme, { sort, first: 2 })
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: data[1]?.id })
  expect(await labels(acme, { sort, first: 2, after: pageInfo.endCursor })).toEqual(['k0-4', 'k1-1'])
})

it('C3: refuses a cursor of another order', async ({ world, acme }) => {
  await keys(world, acme, { one: {}, two: {} })
  const orders = [undefined, ...['CREATED_AT ASC', 'LABEL ASC', 'LABEL DESC', 'LAST_USED_AT ASC', 'EXPIRES_AT ASC']]
  for (const order of orders) {
    const sortBy = (each = '') => (each ? { by: each.split(' ')[0], direction: each.split(' ')[1] } : undefined)
    const after = (await list(acme, { sort: sortBy(order), first: 1 })).pageInfo.endCursor
    for (const other of orders) {
      const { errors } = await acme.call(LIST, { sort: sortBy(other), after })
      if (other === order) expect(errors).toEqual([])
      else expect([order, other, errors]).toMatchObject([order, other, [{ code: 'BAD_USER_INPUT', field: 'after' }]])
    }
  }
})

it('filters by state and access, beside the other conditions', async ({ world, acme, ada }) => {
  const at = world.clock.now()
  await keys(world, acme, {
    plain: {},
    narrow: { access: 'READ_ONLY' },
    paused: {},
    expiring: { expiresAt: at + 30 * DAY },
    expired: { expiresAt: at },
    unused: { createdAt: at - 90 * DAY - 1, expiresAt: at + 31 * DAY },
  })
  const [paused] = (await list(acme, { search: 'paused' })).data
  await acme.call('mutation ($id: ID!) { pauseApiKey(id: $id) { id } }', { id: paused?.id })
  const inState = (state: string, more = {}) => labels(acme, { filter: { state, ...more }, sort: { by: 'LABEL' } })
  expect(await inState('ACTIVE')).toEqual(['expiring', 'narrow', 'paused', 'plain', 'unused'])
  expect(await inState('PAUSED')).toEqual(['paused'])
  expect(await inState('EXPIRING')).toEqual(['expiring'])
  expect(await inState('EXPIRED')).toEqual(['expired'])
  expect(await inState('UNUSED')).toEqual(['unused'])
  expect(await inState('ACTIVE', { access: 'READ_ONLY' })).toEqual(['narrow'])
  expect(await inState('PAUSED', { ids: [paused?.id], createdById: ada.userId })).toEqual(['paused'])
  expect(await inState('ACTIVE', { createdById: 'nobody' })).toEqual([])
  expect(await labels(acme, { filter: { access: 'ADMIN' }, search: 'expir' })).toEqual(['expired', 'expiring'])
})

it.for<[string, object]>([
  ['search', { search: 'x'.repeat(81) }],
  ['search', { search: mintSecret('emp_') }],
  ['after', { sort: { by: 'LABEL' }, after: Buffer.from('[1,"x"]').toString('base64url') }],
  ['after', { sort: { by: 'LAST_USED_AT' }, after: Buffer.from('["x"]').toString('base64url') }],
  ['filter.ids', { sort: { by: 'LABEL' }, filter: { ids: [] } }],
  ['first', { search: 'x', first: 501 }],
])('says which argument is wrong: %s', async ([field, args], { acme }) => {
  expect((await acme.call(LIST, args)).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
})

it('finds nothing of another organization', async ({ world, acme, key }) => {
  const other = await world.organization('Other', { admin: await world.signUp('Eve') })
  expect(await labels(other, { search: key.label })).toEqual([])
  expect((await labels(acme, { search: key.label })).length).toBe(1)
})
