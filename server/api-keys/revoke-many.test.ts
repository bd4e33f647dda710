import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codesOf, eventsOf, fieldOf } from '../../test/support/people.ts'
import { type Person, startWorld, type TestKey, type TestOrganization, type World } from '../../test/support/world.ts'
import { DAY } from '../lib/clock.ts'

const REVOKE = 'mutation ($input: RevokeApiKeysInput!) { revokeApiKeys(input: $input) { ids revokedAt } }'
const LIST = 'query ($filter: ApiKeyFilter) { apiKeys(filter: $filter) { data { id } totalCount } }'
const AUDIT = '{ auditEvents { data { action subject details actor { kind name } } } }'
const NEVER = '0'.repeat(26)

let world: World
let ada: Person
let bob: Person
let acme: TestOrganization

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

beforeEach(async () => {
  ada = await world.signUp('Ada') // anew, since days pass in these tests
  bob = await world.signUp('Bob')
  acme = await world.organization('Acme', { admin: ada })
  await world.join(acme, bob, 'ADMIN')
})

const key = (label = 'ci', by = ada) => world.generateKey(by, acme, { label })
const revoke = (input: object) => ada.call(REVOKE, { input }, acme.slug)
const revokedBy = async (input: object) => fieldOf<{ ids: string[] }>(await revoke(input)).ids
const idsOf = (...keys: TestKey[]) => keys.map(({ id }) => id)

const events = async () =>
  eventsOf(await ada.call(AUDIT, {}, acme.slug)).filter(({ action }) => action.endsWith('.revoked'))

async function isAccepted({ secret }: TestKey): Promise<boolean> {
  const { status, errors } = await world.asKey(secret).call('{ viewer { role } }')
  expect([status, errors[0]?.code]).toEqual(status === 200 ? [200, undefined] : [401, 'API_KEY_INVALID'])
  return status === 200
}

const accepted = (...keys: TestKey[]) => Promise.all(keys.map(isAccepted))

/** Ada signs in again: no session lasts for days. */
async function later(ms: number): Promise<void> {
  world.clock.advance(ms)
  const { name, email, password } = ada
  ada = await world.personOf(name, email, await world.post('/auth/sign-in', { email, password }))
}

it('K10: the selected are refused once it has answered, the others are not, and one entry in the log has all ids', async () => {
  const [a, b, c] = [await key('a'), await key('b'), await key('c')]
  const answer = fieldOf<{ ids: string[]; revokedAt: string }>(await revoke({ ids: idsOf(c, a, c) }))

  expect(answer).toEqual({ ids: idsOf(a, c), revokedAt: new Date(world.clock.now()).toISOString() })
  expect(await accepted(a, b, c)).toEqual([false, true, false])
  expect(await events()).toEqual([
    {
      action: 'api_keys.revoked',
      subject: 'a, c',
      details: `chosen; keys ${a.id}, ${c.id}`,
      actor: { kind: 'USER', name: 'Ada' },
    },
  ])
})

it('an id that is unknown, or of another organization, refuses all of it', async () => {
  const mine = await key()
  const theirs = await world.generateKey(ada, await world.organization('Elsewhere', { admin: ada }))
  for (const id of [NEVER, theirs.id, '']) {
    expect(codesOf(await revoke({ ids: [mine.id, id] }))).toEqual(['NOT_FOUND'])
    expect(codesOf(await revoke({ ids: [mine.id, id], unusedForDays: 1 }))).toEqual(['NOT_FOUND'])
  }
  expect(await accepted(mine, theirs)).toEqual([true, true])
  expect(await events()).toEqual([])
})

it('unused means: not used for so many days, and never used counts from when it was made', async () => {
  const [never, used, usedLater] = [await key('never'), await key('used'), await key('used later')]
  await isAccepted(used)
  await later(DAY)
  await isAccepted(usedLater)
  await world.database.transaction((db) =>
    db.updateTable('apiKey').set({ lastUsedAt: world.clock.now() }).where('id', '=', usedLater.id).execute(),
  )
  await later(9 * DAY)
  const fresh = await key('fresh')
  expect(await revokedBy({ unusedForDays: 10 })).toEqual([]) // ten days, and not more than that
  await later(1)
  expect(await revokedBy({ unusedForDays: 10 })).toEqual(idsOf(never, used))
  expect(await accepted(never, used, usedLater, fresh)).toEqual([false, false, true, true])
  expect((await events()).map(({ details }) => details)).toEqual([`unused for 10 days; keys ${never.id}, ${used.id}`])
})

it('made by someone: a person, or a key', async () => {
  const [mine, his, parent] = [await key('mine'), await key('his', bob), await key('parent')]
  const made = await world.asKey(parent.secret).call('mutation { generateApiKey { secret apiKey { id label } } }')
  const { apiKey, secret } = fieldOf<{ apiKey: { id: string; label: string }; secret: string }>(made)
  const child = { ...apiKey, secret }

  expect(await revokedBy({ createdById: bob.userId })).toEqual(idsOf(his))
  expect(await revokedBy({ createdById: parent.id })).toEqual(idsOf(child))
  expect(await accepted(mine, his, parent, child)).toEqual([true, false, true, false])
})

it('all that is given must hold', async () => {
  const [mine, his, other] = [await key('mine'), await key('his', bob), await key('other', bob)]
  await later(2 * DAY)
  const young = await world.generateKey(ada, acme, { label: 'young' })
  expect(await revokedBy({ ids: idsOf(mine, his), createdById: bob.userId, unusedForDays: 1 })).toEqual(idsOf(his))
  expect(await revokedBy({ ids: idsOf(young), unusedForDays: 1 })).toEqual([])
  expect(await accepted(mine, his, other, young)).toEqual([true, false, true, true])
})

it('all: every key of the organization, expired ones too, and none of another', async () => {
  const elsewhere = await world.organization('Elsewhere', { admin: ada })
  const theirs = await world.generateKey(ada, elsewhere)
  const keys = [await key('a'), await key('b'), await key('c'), await key('d'), await key('e')]
  const expired = await world.generateKey(ada, acme, { expiresAt: new Date(world.clock.now() + 1).toISOString() })
  await later(1)

  expect(await revokedBy({ all: true })).toEqual(idsOf(...keys, expired))
  expect(await accepted(...keys, theirs)).toEqual([false, false, false, false, false, true])
  expect((await events()).map(({ subject }) => subject)).toEqual(['a, b, c and 3 more'])
})

it('where no key is meant, it answers with none and leaves no trace', async () => {
  const only = await key()
  expect(await revokedBy({ unusedForDays: 36_500 })).toEqual([])
  expect(await revokedBy({ createdById: NEVER })).toEqual([])
  expect(await accepted(only)).toEqual([true])
  expect(await events()).toEqual([])
})

it('K10: a key that is among them gets its answer and is dead', async () => {
  const [a, b] = [await key('a'), await key('b')]
  const answer = await world.asKey(a.secret).call(REVOKE, { input: { all: true } })
  expect(fieldOf<{ ids: string[] }>(answer).ids).toEqual(idsOf(a, b))
  expect(await accepted(a, b)).toEqual([false, false])
})

it('C1: switching off with a revoke of all keys goes the same way, as one entry', async () => {
  const [a, b] = [await key('a'), await key('b')]
  await ada.call('mutation { setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id } }', {}, acme.slug)
  expect(await accepted(a, b)).toEqual([false, false])
  expect((await events()).map(({ action, details }) => [action, details])).toEqual([
    ['api_keys.revoked', `all; keys ${a.id}, ${b.id}`],
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
  it(`${JSON.stringify(input).slice(0, 60)} is refused by its field, ${field}`, async () => {
    const only = await key()
    expect((await revoke(input)).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
    expect(await accepted(only)).toEqual([true])
  })
})

describe('the list, filtered', () => {
  const listed = async (filter: object) => {
    const answer = await ada.call(LIST, { filter }, acme.slug)
    const { data, totalCount } = fieldOf<{ data: { id: string }[]; totalCount: number }>(answer)
    expect(totalCount).toBe(data.length)
    return data.map(({ id }) => id)
  }

  it('shows what a revoke with the same words would take', async () => {
    const [mine, his] = [await key('mine'), await key('his', bob)]
    await later(2 * DAY)
    const young = await key('young')
    expect(await listed({})).toEqual(idsOf(young, his, mine))
    expect(await listed({ unusedForDays: 1 })).toEqual(idsOf(his, mine))
    expect(await listed({ unusedForDays: 1, createdById: ada.userId })).toEqual(idsOf(mine))
    expect(await listed({ ids: [mine.id, young.id, NEVER] })).toEqual(idsOf(young, mine))
    expect(await revokedBy({ unusedForDays: 1 })).toEqual(idsOf(mine, his))
  })

  it('refuses the same', async () => {
    for (const [filter, field] of [
      [{ ids: [] }, 'ids'],
      [{ unusedForDays: 0 }, 'unusedForDays'],
    ] as const) {
      const { errors } = await ada.call(LIST, { filter }, acme.slug)
      expect(errors).toMatchObject([{ code: 'BAD_USER_INPUT', field: `filter.${field}` }])
    }
  })
})
