import { expect } from 'vitest'
import { countCalls } from '../../../test/support/world/count-calls.ts'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY, HOUR } from '../../lib/clock.ts'

const SUGGESTED = `query ($id: ID!) { apiKey(id: $id) { usedFields { field } suggestedAccess {
  access since narrower { access refused { field calls } }
} } }`

interface Suggested {
  access: string | null
  since: string
  narrower: { access: string; refused: { field: string; calls: number }[] }[]
}

const it = inOrganization(startWorld)

async function suggestedFor(acme: TestOrganization, { id }: TestKey) {
  const key = fieldOf<{ suggestedAccess: Suggested; usedFields: { field: string }[] }>(
    await acme.call(SUGGESTED, { id }),
  )
  return { ...key.suggestedAccess, used: key.usedFields.map(({ field }) => field) }
}

/** As if it had been generated so long ago. */
const age = ({ database, clock }: World, { id }: TestKey, ms: number) =>
  database.transaction((db) =>
    db
      .updateTable('apiKey')
      .set({ createdAt: clock.now() - ms })
      .where('id', '=', id)
      .execute(),
  )

async function used(world: World, key: TestKey, ...calls: string[][]) {
  await age(world, key, 20 * DAY)
  for (const fields of calls) await countCalls(world.database, [key.id], { at: world.clock.now() - HOUR, fields })
}

it.for<[string[][], string]>([
  [[['checkInDevice'], ['viewer'], ['device']], 'CHECK_IN'],
  [[['devices', 'checkInDevice']], 'DEVICES'],
  [[['createDevice'], ['updateDevice']], 'DEVICES'],
  [[['devices'], ['users']], 'READ_ONLY'],
  [[['devices']], 'READ_ONLY'],
  [[['viewer', 'Organization.activeApiKeyCount']], 'READ_ONLY'],
  [[['users'], ['checkInDevice']], 'ADMIN'],
  [[['generateApiKey']], 'ADMIN'],
])('suggests the narrowest access that would have allowed %j: %s', async ([calls, access], { world, acme, key }) => {
  await used(world, key, ...calls)
  expect((await suggestedFor(acme, key)).access).toBe(access)
})

it('says what each narrower access would have refused, and how often', async ({ world, acme, key }) => {
  await used(world, key, ['devices', 'checkInDevice'], ['devices'], ['viewer', 'Organization.activeApiKeyCount'])
  expect(await suggestedFor(acme, key)).toEqual({
    access: 'ADMIN',
    since: new Date(world.clock.now() - 20 * DAY).toISOString(),
    narrower: [
      {
        access: 'CHECK_IN',
        refused: [
          { field: 'devices', calls: 2 },
          { field: 'Organization.activeApiKeyCount', calls: 1 },
        ],
      },
      { access: 'READ_ONLY', refused: [{ field: 'checkInDevice', calls: 1 }] },
      { access: 'DEVICES', refused: [{ field: 'Organization.activeApiKeyCount', calls: 1 }] },
    ],
    used: ['devices', 'checkInDevice', 'viewer'],
  })
})

const ROTATE = 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }'

it('rotating itself needs no access, rotating others does', async ({ world, acme, key }) => {
  const keeper = await acme.generateKey()
  const others = [await acme.generateKey(), await acme.generateKey()]
  const beside = await startWorld({ beside: world, now: world.clock.now })
  for (const { secret, id } of [key, keeper]) {
    await beside.asKey(secret).call('{ users { data { id } } }')
    if (id === keeper.id) for (const other of others) await beside.asKey(secret).call(ROTATE, { id: other.id })
    else await beside.asKey(secret).call(ROTATE, { id })
  }
  await beside.close()
  for (const each of [key, keeper]) await age(world, each, 20 * DAY)
  expect(await suggestedFor(acme, key)).toMatchObject({ access: 'READ_ONLY', used: ['rotateApiKey', 'users'] })
  expect(await suggestedFor(acme, keeper)).toMatchObject({ access: 'ADMIN' })
  await acme.call(ROTATE, { id: keeper.id })
  expect(await suggestedFor(acme, keeper)).toMatchObject({ access: 'ADMIN' })
})

it('suggests nothing for a key without usage, or with usage of less than a week', async ({ world, acme, key }) => {
  await used(world, key)
  expect((await suggestedFor(acme, key)).access).toBe(null)
  await used(world, key, ['devices'])
  await age(world, key, 7 * DAY - 1)
  expect((await suggestedFor(acme, key)).access).toBe(null)
  await age(world, key, 7 * DAY)
  expect((await suggestedFor(acme, key)).access).toBe('READ_ONLY')
})

it('suggests nothing as long as an older version counted calls without their fields', async ({ world, acme, key }) => {
  await used(world, key, ['devices'])
  const today = world.clock.now() - (world.clock.now() % DAY)
  const day = { keyId: key.id, day: today - 3 * DAY, calls: 1, errors: 0 }
  await world.database.transaction((db) => db.insertInto('apiKeyUsageDay').values(day).execute())
  expect(await suggestedFor(acme, key)).toMatchObject({ access: null, since: new Date(today - 2 * DAY).toISOString() })
})

it('knows the usage only since the day from which it is stored', async ({ world, acme, key }) => {
  await used(world, key, ['devices'])
  const beside = await startWorld({ beside: world, now: world.clock.now, env: { RETAIN_USAGE_DAYS: '10' } })
  const today = world.clock.now() - (world.clock.now() % DAY)
  const suggested = async () => fieldOf(await beside.asKey(key.secret).call(SUGGESTED, { id: key.id }))
  expect(await suggested()).toMatchObject({ suggestedAccess: { since: new Date(today - 10 * DAY).toISOString() } })
  await beside.close()
  const { since } = await suggestedFor(acme, key)
  expect(since).toBe(new Date(world.clock.now() - 20 * DAY).toISOString())
})

it('never suggests more than a key has, and does not count what its access refused', async ({ world, acme }) => {
  const key = await acme.generateKey({ label: 'narrow', access: 'DEVICES' })
  const beside = await startWorld({ beside: world, now: world.clock.now })
  const { call } = beside.asKey(key.secret)
  await call('{ devices { data { id } } users { data { id } } }')
  await call('{ viewer { role organization { activeApiKeyCount } } }')
  await beside.close()
  await age(world, key, 20 * DAY)
  expect(await suggestedFor(acme, key)).toMatchObject({
    access: 'DEVICES',
    narrower: [{ access: 'CHECK_IN', refused: [{ field: 'devices', calls: 1 }] }],
    used: ['devices', 'viewer'],
  })
})

it('fields below are recorded where a narrowed key may see the root field and not them', async ({
  world,
  acme,
  key,
}) => {
  const beside = await startWorld({ beside: world, now: world.clock.now })
  const query = `{ mine: viewer { ...V } apiKeys { data { id label } } }
    fragment V on Viewer { organization { id count: activeApiKeyCount ... on Organization { __typename } } }`
  await beside.asKey(key.secret).call(query)
  await beside.close()
  const { narrower } = await suggestedFor(acme, key)
  const refused = Object.fromEntries(narrower.map(({ access, refused }) => [access, refused.map(({ field }) => field)]))
  const both = ['Organization.activeApiKeyCount', 'apiKeys']
  expect(refused).toEqual({ CHECK_IN: both, DEVICES: both, READ_ONLY: [] })
})
