import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf, eventsOf, fieldOf, joined, later } from '../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../test/support/world/world.ts'
import { DAY } from '../lib/clock.ts'

const REVOKE = 'mutation ($input: RevokeApiKeysInput!) { revokeApiKeys(input: $input) { ids revokedAt } }'
const LIST = 'query ($filter: ApiKeyFilter) { apiKeys(filter: $filter) { data { id } totalCount } }'
const AUDIT = '{ auditEvents { data { action subject details actor { kind name } } } }'
const NEVER = '0'.repeat(26)

const it = inOrganization(startWorld)
  .extend('bob', ({ world, acme }) => joined(world, acme, 'Bob', 'ADMIN'))
  .extend('members', { auto: true }, ({ bob }) => [bob])

const key = (world: World, acme: TestOrganization, label = 'ci', by = acme.admin) =>
  world.generateKey(by, acme, { label })
const revoke = (acme: TestOrganization, input: object) => acme.call(REVOKE, { input })
const revokedBy = async (acme: TestOrganization, input: object) =>
  fieldOf<{ ids: string[] }>(await revoke(acme, input)).ids
const idsOf = (...keys: TestKey[]) => keys.map(({ id }) => id)

const events = async (acme: TestOrganization) =>
  eventsOf(await acme.call(AUDIT)).filter(({ action }) => action.endsWith('_REVOKED'))

async function isAccepted(world: World, { secret }: TestKey): Promise<boolean> {
  const { status, errors } = await world.asKey(secret).call('{ viewer { role } }')
  expect([status, errors[0]?.code]).toEqual(status === 200 ? [200, undefined] : [401, 'API_KEY_INVALID'])
  return status === 200
}

const accepted = (world: World, ...keys: TestKey[]) => Promise.all(keys.map((key) => isAccepted(world, key)))

it('K10: the selected keys are refused once the revoke returns, others are not, and one audit entry has all ids', async ({
  world,
  acme,
}) => {
  const [a, b, c] = [await key(world, acme, 'a'), await key(world, acme, 'b'), await key(world, acme, 'c')]
  const answer = fieldOf<{ ids: string[]; revokedAt: string }>(await revoke(acme, { ids: idsOf(c, a, c) }))

  expect(answer).toEqual({ ids: idsOf(a, c), revokedAt: new Date(world.clock.now()).toISOString() })
  expect(await accepted(world, a, b, c)).toEqual([false, true, false])
  expect(await events(acme)).toEqual([
    {
      action: 'API_KEYS_REVOKED',
      subject: 'a, c',
      details: `chosen; keys ${a.id}, ${c.id}`,
      actor: { kind: 'USER', name: 'Ada' },
    },
  ])
})

it('one id that is unknown, or of another organization, refuses the whole revoke', async ({ world, ada, acme }) => {
  const mine = await key(world, acme)
  const theirs = await world.generateKey(ada, await world.organization('Elsewhere', { admin: ada }))
  for (const id of [NEVER, theirs.id, '']) {
    expect(codesOf(await revoke(acme, { ids: [mine.id, id] }))).toEqual(['NOT_FOUND'])
    expect(codesOf(await revoke(acme, { ids: [mine.id, id], unusedForDays: 1 }))).toEqual(['NOT_FOUND'])
  }
  expect(await accepted(world, mine, theirs)).toEqual([true, true])
  expect(await events(acme)).toEqual([])
})

it('unusedForDays counts from the last use, or from the creation of a key that was never used', async ({
  world,
  ada,
  acme,
}) => {
  const [never, used, usedLater] = [
    await key(world, acme, 'never'),
    await key(world, acme, 'used'),
    await key(world, acme, 'used later'),
  ]
  await isAccepted(world, used)
  await later(world, ada, DAY)
  await isAccepted(world, usedLater)
  await world.database.transaction((db) =>
    db.updateTable('apiKey').set({ lastUsedAt: world.clock.now() }).where('id', '=', usedLater.id).execute(),
  )
  await later(world, ada, 9 * DAY)
  const fresh = await key(world, acme, 'fresh')
  expect(await revokedBy(acme, { unusedForDays: 10 })).toEqual([]) // ten days, and not more than that
  await later(world, ada, 1)
  expect(await revokedBy(acme, { unusedForDays: 10 })).toEqual(idsOf(never, used))
  expect(await accepted(world, never, used, usedLater, fresh)).toEqual([false, false, true, true])
  expect((await events(acme)).map(({ details }) => details)).toEqual([
    `unused for 10 days; keys ${never.id}, ${used.id}`,
  ])
})

it('createdById selects keys by a person or a key', async ({ world, bob, acme }) => {
  const [mine, his, parent] = [
    await key(world, acme, 'mine'),
    await key(world, acme, 'his', bob),
    await key(world, acme, 'parent'),
  ]
  const made = await world.asKey(parent.secret).call('mutation { generateApiKey { secret apiKey { id label } } }')
  const { apiKey, secret } = fieldOf<{ apiKey: { id: string; label: string }; secret: string }>(made)
  const child = { ...apiKey, secret }

  expect(await revokedBy(acme, { createdById: bob.userId })).toEqual(idsOf(his))
  expect(await revokedBy(acme, { createdById: parent.id })).toEqual(idsOf(child))
  expect(await accepted(world, mine, his, parent, child)).toEqual([true, false, true, false])
})

it('all given conditions must match', async ({ world, ada, bob, acme }) => {
  const [mine, his, other] = [
    await key(world, acme, 'mine'),
    await key(world, acme, 'his', bob),
    await key(world, acme, 'other', bob),
  ]
  await later(world, ada, 2 * DAY)
  const young = await acme.generateKey({ label: 'young' })
  expect(await revokedBy(acme, { ids: idsOf(mine, his), createdById: bob.userId, unusedForDays: 1 })).toEqual(
    idsOf(his),
  )
  expect(await revokedBy(acme, { ids: idsOf(young), unusedForDays: 1 })).toEqual([])
  expect(await accepted(world, mine, his, other, young)).toEqual([true, false, true, true])
})

it('all: true selects every key of the organization, including expired ones, and none of another', async ({
  world,
  ada,
  acme,
}) => {
  const elsewhere = await world.organization('Elsewhere', { admin: ada })
  const theirs = await elsewhere.generateKey()
  const keys = [
    await key(world, acme, 'a'),
    await key(world, acme, 'b'),
    await key(world, acme, 'c'),
    await key(world, acme, 'd'),
    await key(world, acme, 'e'),
  ]
  const expired = await acme.generateKey({ expiresAt: new Date(world.clock.now() + 1).toISOString() })
  await later(world, ada, 1)

  expect(await revokedBy(acme, { all: true })).toEqual(idsOf(...keys, expired))
  expect(await accepted(world, ...keys, theirs)).toEqual([false, false, false, false, false, true])
  expect((await events(acme)).map(({ subject }) => subject)).toEqual(['a, b, c and 3 more'])
})

it('a selection without keys returns none and leaves no audit entry', async ({ world, acme }) => {
  const only = await key(world, acme)
  expect(await revokedBy(acme, { unusedForDays: 36_500 })).toEqual([])
  expect(await revokedBy(acme, { createdById: NEVER })).toEqual([])
  expect(await accepted(world, only)).toEqual([true])
  expect(await events(acme)).toEqual([])
})

it('K10: the calling key gets its answer when it is among them, and is then refused', async ({ world, acme }) => {
  const [a, b] = [await key(world, acme, 'a'), await key(world, acme, 'b')]
  const answer = await world.asKey(a.secret).call(REVOKE, { input: { all: true } })
  expect(fieldOf<{ ids: string[] }>(answer).ids).toEqual(idsOf(a, b))
  expect(await accepted(world, a, b)).toEqual([false, false])
})

it('C1: switching off with a revoke of all keys records one audit entry too', async ({ world, acme }) => {
  const [a, b] = [await key(world, acme, 'a'), await key(world, acme, 'b')]
  await acme.call('mutation { setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id } }')
  expect(await accepted(world, a, b)).toEqual([false, false])
  expect((await events(acme)).map(({ action, details }) => [action, details])).toEqual([
    ['API_KEYS_REVOKED', `all; keys ${a.id}, ${b.id}`],
  ])
})

describe.each([
  [{}, 'input'],
  [{ all: false }, 'input'],
  [{ ids: null, all: null }, 'input'],
  [{ all: true, ids: [NEVER] }, 'all'],
  [{ all: true, unusedForDays: 3 }, 'all'],
  [{ ids: [] }, 'ids'],
  [{ ids: Array(501).fill(NEVER) }, 'ids'],
  [{ unusedForDays: 0 }, 'unusedForDays'],
  [{ unusedForDays: -1 }, 'unusedForDays'],
  [{ unusedForDays: 36_501 }, 'unusedForDays'],
])('bad input', (input, field) => {
  it(`${JSON.stringify(input).slice(0, 60)} is refused and names the field ${field}`, async ({ world, acme }) => {
    const only = await key(world, acme)
    expect((await revoke(acme, input)).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
    expect(await accepted(world, only)).toEqual([true])
  })
})

describe('the filtered list', () => {
  const listed = async (acme: TestOrganization, filter: object) => {
    const answer = await acme.call(LIST, { filter })
    const { data, totalCount } = fieldOf<{ data: { id: string }[]; totalCount: number }>(answer)
    expect(totalCount).toBe(data.length)
    return data.map(({ id }) => id)
  }

  it('lists the keys that a revoke with the same filter revokes', async ({ world, ada, bob, acme }) => {
    const [mine, his] = [await key(world, acme, 'mine'), await key(world, acme, 'his', bob)]
    await later(world, ada, 2 * DAY)
    const young = await key(world, acme, 'young')
    expect(await listed(acme, {})).toEqual(idsOf(young, his, mine))
    expect(await listed(acme, { unusedForDays: 1 })).toEqual(idsOf(his, mine))
    expect(await listed(acme, { unusedForDays: 1, createdById: ada.userId })).toEqual(idsOf(mine))
    expect(await listed(acme, { ids: [mine.id, young.id, NEVER] })).toEqual(idsOf(young, mine))
    expect(await revokedBy(acme, { unusedForDays: 1 })).toEqual(idsOf(mine, his))
  })

  it('refuses the same input', async ({ acme }) => {
    for (const [filter, field] of [
      [{ ids: [] }, 'ids'],
      [{ unusedForDays: 0 }, 'unusedForDays'],
    ] as const) {
      const { errors } = await acme.call(LIST, { filter })
      expect(errors).toMatchObject([{ code: 'BAD_USER_INPUT', field: `filter.${field}` }])
    }
  })
})
