import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { backgroundOf } from '../../test/support/mail-world.ts'
import {
  type Call,
  codesOf,
  eventsOf,
  fieldOf,
  invited,
  peopleAs,
  refusalOf,
  usersOf,
} from '../../test/support/people.ts'
import { policyOfAdmin } from '../../test/support/policy.ts'
import { PATIENT, untilItWaits } from '../../test/support/waiting.ts'
import {
  PASSWORD,
  type Person,
  startWorld,
  type TestKey,
  type TestOrganization,
  type World,
} from '../../test/support/world.ts'
import { forUpdate } from '../db/locks.ts'
import { DAY, HOUR, SECOND } from '../lib/clock.ts'
import { mintSecret } from '../lib/secret.ts'

let world: World
let ada: Person
let acme: TestOrganization
let key: TestKey
let addresses = 0
beforeAll(async () => {
  world = await startWorld({ timeouts: PATIENT })
})
beforeEach(async () => {
  ada = await world.signUp('Ada')
  acme = await world.organization('Acme', { admin: ada })
  key = await world.generateKey(ada, acme)
})
afterAll(() => world.close())

const callAs =
  (person: Person): Call =>
  (query, variables) =>
    person.call(query, variables, acme.slug)
const newAddress = () => `new-${++addresses}@example.com`
const byKey = (role = 'MEMBER', by = key) => invited(world.asKey(by.secret).call, { email: newAddress(), role })
const view = (token: string) => world.post('/auth/invitation', { token })
const accept = (token: string) => world.post('/auth/accept-invitation', { token, name: 'Mole', password: PASSWORD })
const pending = async () => usersOf(await peopleAs(callAs(ada)).list()).data.filter((user) => user.invited)

/** The link answers as one that never was, and nobody is listed for it. */
async function expectEnded(token: string): Promise<void> {
  const unknown = refusalOf(await view(mintSecret('emi_')))
  expect([refusalOf(await view(token)), refusalOf(await accept(token))]).toEqual([unknown, unknown])
  expect(unknown?.code).toBe('NOT_FOUND')
  expect(await pending()).toEqual([])
}

const revoke = 'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids } }'

it.each<[how: string, end: () => Promise<unknown>, details: () => string]>([
  ['alone', () => callAs(ada)(revoke, { id: key.id }), () => `key ${key.id}; 2 open invitations ended`],
  [
    'with all others',
    () => callAs(ada)('mutation { revokeApiKeys(input: { all: true }) { ids } }'),
    () => `all; keys ${key.id}; 2 open invitations ended`,
  ],
])('the audit log says how many invitations ended with a key that was revoked %s', async (_how, end, details) => {
  await byKey()
  await byKey('ADMIN')
  await invited(callAs(ada), { email: newAddress(), role: 'MEMBER' })
  world.clock.advance(SECOND)
  await end()
  expect(eventsOf(await peopleAs(callAs(ada)).audit())[0]).toMatchObject({ details: details() })
})
const rotate = 'mutation ($id: ID!, $s: Int!) { rotateApiKey(id: $id, overlapSeconds: $s) { apiKey { id } } }'

describe('C13: invitations end with the key that created them', () => {
  it.each<[how: string, end: () => Promise<unknown>]>([
    ['revoked', () => callAs(ada)(revoke, { id: key.id })],
    ['revoked among many', () => callAs(ada)('mutation { revokeApiKeys(input: { all: true }) { ids } }')],
    [
      'revoked when the feature is switched off',
      () => callAs(ada)('mutation { setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id } }'),
    ],
    ['rotated without an overlap', () => callAs(ada)(rotate, { id: key.id, s: 0 })],
    [
      'revoked by a policy',
      async () => {
        world.clock.advance(SECOND)
        const newer = await world.generateKey(ada, acme)
        await world.asKey(newer.secret).call('{ viewer { role } }')
        return policyOfAdmin(ada, acme).set({ maxKeys: 1 }, ['MAX_KEYS'])
      },
    ],
  ])('when it is %s', async (_how, end) => {
    const { token } = await byKey('ADMIN')
    expect((await view(token)).status).toBe(200)
    fieldOf((await end()) as Parameters<typeof fieldOf>[0])
    await expectEnded(token)
  })

  it('when it is revoked with the key that generated it', async () => {
    const made = fieldOf<{ secret: string; apiKey: { id: string; label: string } }>(
      await world.asKey(key.secret).call('mutation { generateApiKey { secret apiKey { id label } } }'),
    )
    const { token } = await byKey('MEMBER', { ...made.apiKey, secret: made.secret })
    fieldOf(await callAs(ada)(revoke, { id: key.id, all: true }))
    await expectEnded(token)
  })

  it('when it expires, and permanently when it is deleted', async () => {
    const ends = await world.generateKey(ada, acme, {
      label: 'short',
      expiresAt: new Date(world.clock.now() + HOUR).toISOString(),
    })
    const { token } = await byKey('MEMBER', ends)
    world.clock.advance(HOUR)
    await expectEnded(token)
    world.clock.advance(31 * DAY)
    await backgroundOf(world).runBackgroundJobs()
    const left = world.database.read.selectFrom('invitation').select('id').where('organizationId', '=', acme.id)
    expect(await left.execute()).toEqual([])
  })

  it('at the end of the overlap when it is rotated, not before', async () => {
    const { token } = await byKey()
    fieldOf(await callAs(ada)(rotate, { id: key.id, s: 3600 }))
    expect((await view(token)).status).toBe(200)
    world.clock.advance(HOUR)
    await expectEnded(token)
  })

  it('and a key that may no longer manage keys cannot let an Admin in', async () => {
    const [admin, member] = [await byKey('ADMIN'), await byKey('MEMBER')]
    fieldOf(await policyOfAdmin(ada, acme).set({ allowKeyManagement: false }, ['ALLOW_KEY_MANAGEMENT']))
    expect([(await accept(admin.token)).status, (await accept(member.token)).status]).toEqual([404, 200])
  })

  it('also during a revoke: accepting waits for it, and is refused', async () => {
    const { token } = await byKey('ADMIN')
    const accepting = await world.database.transaction(async (db) => {
      await forUpdate(db, db.selectFrom('apiKey').select('id').where('id', '=', key.id)).execute()
      const waiting = await untilItWaits(world, () => accept(token))
      await db.deleteFrom('apiKey').where('id', '=', key.id).execute()
      return waiting
    })
    expect((await accepting.done).status).toBe(404)
    await expectEnded(token)
  })
})

describe('C13: invitations end with the right of the person who created them', () => {
  let bob: Person
  beforeEach(async () => {
    bob = await world.signUp('Bob')
    await world.join(acme, bob, 'ADMIN')
  })

  it.each<[how: string, end: () => Promise<unknown>, details: string | RegExp]>([
    ['removed', () => peopleAs(callAs(ada)).remove(bob.userId), '1 open invitation of theirs withdrawn'],
    ['gone', () => peopleAs(callAs(bob)).remove(bob.userId), '1 open invitation of theirs withdrawn'],
    [
      'demoted',
      () => peopleAs(callAs(ada)).changeRole(bob.userId, 'MEMBER'),
      'ADMIN to MEMBER; 1 open invitation of theirs withdrawn',
    ],
  ])('when they are %s, as the audit log says', async (_how, end, details) => {
    const { token } = await invited(callAs(bob), { email: newAddress(), role: 'ADMIN' })
    world.clock.advance(SECOND)
    fieldOf((await end()) as Parameters<typeof fieldOf>[0])
    await expectEnded(token)
    expect(eventsOf(await peopleAs(callAs(ada)).audit())[0]).toMatchObject({ details })
  })

  it('also during their removal: accepting waits for it, and is refused', async () => {
    const { token } = await invited(callAs(bob), { email: newAddress(), role: 'ADMIN' })
    const accepting = await world.database.transaction(async (db) => {
      const membership = db.selectFrom('membership').select('role').where('userId', '=', bob.userId)
      await forUpdate(db, membership.where('organizationId', '=', acme.id)).execute()
      const waiting = await untilItWaits(world, () => accept(token))
      await db.deleteFrom('membership').where('userId', '=', bob.userId).where('organizationId', '=', acme.id).execute()
      return waiting
    })
    expect((await accepting.done).status).toBe(404)
  })

  it('unless somebody else has invited the address again', async () => {
    const email = newAddress()
    await invited(callAs(bob), { email, role: 'ADMIN' })
    const { token } = await invited(callAs(ada), { email })
    fieldOf(await peopleAs(callAs(ada)).remove(bob.userId))
    expect((await accept(token)).status).toBe(200)
  })

  it('and a person who becomes a Member again ends no invitations of others', async () => {
    const { token } = await invited(callAs(ada), { email: newAddress() })
    fieldOf(await peopleAs(callAs(ada)).changeRole(bob.userId, 'MEMBER'))
    expect((await view(token)).status).toBe(200)
  })
})

describe('C13: an invitation raised to Admin depends on the right of the person or key that raised it', () => {
  const raise = async (by: Call, userId: string) => fieldOf(await peopleAs(by).changeRole(userId, 'ADMIN'))
  let bob: Person
  beforeEach(async () => {
    bob = await world.signUp('Bob')
    await world.join(acme, bob, 'ADMIN')
  })

  it('a person: it ends when they are removed, whoever invited first', async () => {
    const { token, user } = await invited(callAs(ada), { email: newAddress() })
    await raise(callAs(bob), user.id)
    fieldOf(await peopleAs(callAs(ada)).remove(bob.userId))
    await expectEnded(token)
  })

  it('a key: it ends when the key is revoked', async () => {
    const { token, user } = await invited(callAs(ada), { email: newAddress() })
    await raise(world.asKey(key.secret).call, user.id)
    fieldOf(await callAs(ada)(revoke, { id: key.id }))
    await expectEnded(token)
  })

  it('a person, after a key that may not manage keys: it lets an Admin in, also after the key is revoked', async () => {
    fieldOf(await policyOfAdmin(ada, acme).set({ allowKeyManagement: false }, ['ALLOW_KEY_MANAGEMENT']))
    const { token, user } = await byKey('MEMBER')
    await raise(callAs(bob), user.id)
    fieldOf(await callAs(ada)(revoke, { id: key.id }))
    expect((await accept(token)).status).toBe(200)
  })

  it('but changing it to Member transfers nothing', async () => {
    const { token, user } = await invited(callAs(bob), { email: newAddress(), role: 'ADMIN' })
    fieldOf(await peopleAs(callAs(ada)).changeRole(user.id, 'MEMBER'))
    fieldOf(await peopleAs(callAs(ada)).remove(bob.userId))
    await expectEnded(token)
  })
})

describe('C13: a key that may not manage keys', () => {
  beforeEach(async () => {
    fieldOf(await policyOfAdmin(ada, acme).set({ allowKeyManagement: false }, ['ALLOW_KEY_MANAGEMENT']))
  })

  it('cannot make anybody an Admin, by an invitation or by a role', async () => {
    const as = peopleAs(world.asKey(key.secret).call)
    const open = await invited(callAs(ada), { email: newAddress(), role: 'ADMIN' })
    const bob = await world.signUp('Bob')
    await world.join(acme, bob, 'MEMBER')
    const member = await byKey('MEMBER')
    const answers = [
      await as.invite({ email: newAddress(), role: 'ADMIN' }),
      await as.invite({ email: open.user.email, role: 'ADMIN' }),
      await as.changeRole(member.user.id, 'ADMIN'),
      await as.changeRole(bob.userId, 'ADMIN'),
    ]
    expect(answers.map(codesOf)).toEqual(Array(4).fill(['FORBIDDEN']))
    expect(answers[0]?.errors[0]?.message).toMatch(/cannot make anybody an Admin.*ask a person who is an Admin/)
    expect((await view(open.token)).status).toBe(200)
  })

  it('can invite people as Members, and make members Members', async () => {
    const as = peopleAs(world.asKey(key.secret).call)
    const bob = await world.signUp('Bob')
    await world.join(acme, bob, 'ADMIN')
    expect(codesOf(await as.changeRole(bob.userId, 'MEMBER'))).toEqual([])
    expect((await accept((await byKey()).token)).status).toBe(200)
  })
})
