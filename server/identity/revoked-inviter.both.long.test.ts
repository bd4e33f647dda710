import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import type { Answer } from '../../test/support/world/http.ts'
import { backgroundOf } from '../../test/support/world/mail-world.ts'
import {
  type Call,
  codesOf,
  eventsOf,
  fieldOf,
  invited,
  joined,
  peopleAs,
  refusalOf,
  usersOf,
} from '../../test/support/world/people.ts'
import { policyOfAdmin } from '../../test/support/world/policy.ts'
import { PATIENT, untilItWaits } from '../../test/support/world/waiting.ts'
import {
  PASSWORD,
  type Person,
  startWorld,
  type TestKey,
  type TestOrganization,
  type World,
} from '../../test/support/world/world.ts'
import { forUpdate } from '../db/locks.ts'
import { DAY, HOUR, SECOND } from '../lib/clock.ts'
import { mintSecret } from '../secrets/secret.ts'

interface Setting {
  world: World
  ada: Person
  acme: TestOrganization
  key: TestKey
}

/** Bob is a second Admin. */
const it = inOrganization(() => startWorld({ timeouts: PATIENT }))
  .extend('bob', ({ world, acme }) => joined(world, acme, 'Bob', 'ADMIN'))
  .extend(
    'asBob',
    ({ acme, bob }): Call =>
      (query, variables) =>
        bob.call(query, variables, acme.slug),
  )
  .extend('asKey', ({ world, key }) => world.asKey(key.secret).call)
  .extend('links', ({ world, acme, asKey }) => linksIn(world, acme, asKey))

let addresses = 0
const newAddress = () => `new-${++addresses}@example.com`

function linksIn(world: World, acme: TestOrganization, asKey: Call) {
  const view = (token: string) => world.post('/auth/invitation', { token })
  const accept = (token: string) => world.post('/auth/accept-invitation', { token, name: 'Mole', password: PASSWORD })
  const pending = async () => usersOf(await peopleAs(acme.call).list()).data.filter((user) => user.invited)
  return {
    view,
    accept,
    byKey: (role = 'MEMBER', as = asKey) => invited(as, { email: newAddress(), role }),
    /** The link answers as one that never was, and nobody is listed for it. */
    expectEnded: async (token: string) => {
      const unknown = refusalOf(await view(mintSecret('emi_')))
      expect([refusalOf(await view(token)), refusalOf(await accept(token))]).toEqual([unknown, unknown])
      expect(unknown?.code).toBe('NOT_FOUND')
      expect(await pending()).toEqual([])
    },
  }
}

const revoke = 'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids } }'

it.for<[how: string, end: (of: Setting) => Promise<unknown>, details: (key: TestKey) => string]>([
  ['alone', ({ acme, key }) => acme.call(revoke, { id: key.id }), (key) => `key ${key.id}; 2 open invitations ended`],
  [
    'with all others',
    ({ acme }) => acme.call('mutation { revokeApiKeys(input: { all: true }) { ids } }'),
    (key) => `all; keys ${key.id}; 2 open invitations ended`,
  ],
])(
  'the audit log says how many invitations ended with a key that was revoked %s',
  async ([_how, end, details], { world, ada, acme, key, links }) => {
    await links.byKey()
    await links.byKey('ADMIN')
    await invited(acme.call, { email: newAddress(), role: 'MEMBER' })
    world.clock.advance(SECOND)
    await end({ world, ada, acme, key })
    expect(eventsOf(await peopleAs(acme.call).audit())[0]).toMatchObject({ details: details(key) })
  },
)

const mayNotManageKeys = async (ada: Person, acme: TestOrganization) =>
  fieldOf(await policyOfAdmin(ada, acme).set({ allowKeyManagement: false }, ['ALLOW_KEY_MANAGEMENT']))

const rotate = 'mutation ($id: ID!, $s: Int!) { rotateApiKey(id: $id, overlapSeconds: $s) { apiKey { id } } }'

describe('C13: invitations end with the key that created them', () => {
  it.for<[how: string, end: (of: Setting) => Promise<Answer>]>([
    ['revoked', ({ acme, key }) => acme.call(revoke, { id: key.id })],
    ['revoked among many', ({ acme }) => acme.call('mutation { revokeApiKeys(input: { all: true }) { ids } }')],
    [
      'revoked when the feature is switched off',
      ({ acme }) => acme.call('mutation { setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id } }'),
    ],
    ['rotated without an overlap', ({ acme, key }) => acme.call(rotate, { id: key.id, s: 0 })],
    [
      'revoked by a policy',
      async ({ world, ada, acme }) => {
        world.clock.advance(SECOND)
        const newer = await acme.generateKey()
        await world.asKey(newer.secret).call('{ viewer { role } }')
        return policyOfAdmin(ada, acme).set({ maxKeys: 1 }, ['MAX_KEYS'])
      },
    ],
  ])('when it is %s', async ([_how, end], { world, ada, acme, key, links }) => {
    const { token } = await links.byKey('ADMIN')
    expect((await links.view(token)).status).toBe(200)
    fieldOf(await end({ world, ada, acme, key }))
    await links.expectEnded(token)
  })

  it('when it is revoked with the key that generated it', async ({ world, acme, key, asKey, links }) => {
    const made = fieldOf<{ secret: string }>(await asKey('mutation { generateApiKey { secret } }'))
    const { token } = await links.byKey('MEMBER', world.asKey(made.secret).call)
    fieldOf(await acme.call(revoke, { id: key.id, all: true }))
    await links.expectEnded(token)
  })

  it('when it expires, and permanently when it is deleted', async ({ world, acme, links }) => {
    const ends = await acme.generateKey({
      label: 'short',
      expiresAt: new Date(world.clock.now() + HOUR).toISOString(),
    })
    const { token } = await links.byKey('MEMBER', world.asKey(ends.secret).call)
    world.clock.advance(HOUR)
    await links.expectEnded(token)
    world.clock.advance(31 * DAY)
    await backgroundOf(world).runBackgroundJobs()
    const left = world.database.read.selectFrom('invitation').select('id').where('organizationId', '=', acme.id)
    expect(await left.execute()).toEqual([])
  })

  it('at the end of the overlap when it is rotated, not before', async ({ world, acme, key, links }) => {
    const { token } = await links.byKey()
    fieldOf(await acme.call(rotate, { id: key.id, s: 3600 }))
    expect((await links.view(token)).status).toBe(200)
    world.clock.advance(HOUR)
    await links.expectEnded(token)
  })

  it('and a key that may no longer manage keys cannot let an Admin in', async ({ ada, acme, links }) => {
    const [admin, member] = [await links.byKey('ADMIN'), await links.byKey('MEMBER')]
    await mayNotManageKeys(ada, acme)
    expect([(await links.accept(admin.token)).status, (await links.accept(member.token)).status]).toEqual([404, 200])
  })

  it('also during a revoke: accepting waits for it, and is refused', async ({ world, key, links }) => {
    const { token } = await links.byKey('ADMIN')
    const accepting = await world.database.transaction(async (db) => {
      await forUpdate(db, db.selectFrom('apiKey').select('id').where('id', '=', key.id)).execute()
      const waiting = await untilItWaits(world, () => links.accept(token))
      await db.deleteFrom('apiKey').where('id', '=', key.id).execute()
      return waiting
    })
    expect((await accepting.done).status).toBe(404)
    await links.expectEnded(token)
  })
})

describe('C13: invitations end with the right of the person who created them', () => {
  it.for<[how: string, end: (admin: Call, asBob: Call, bob: Person) => Promise<Answer>, details: string]>([
    ['removed', (admin, _asBob, bob) => peopleAs(admin).remove(bob.userId), '1 open invitation of theirs withdrawn'],
    ['gone', (_admin, asBob, bob) => peopleAs(asBob).remove(bob.userId), '1 open invitation of theirs withdrawn'],
    [
      'demoted',
      (admin, _asBob, bob) => peopleAs(admin).changeRole(bob.userId, 'MEMBER'),
      'ADMIN to MEMBER; 1 open invitation of theirs withdrawn',
    ],
  ])('when they are %s, as the audit log says', async ([_how, end, details], { world, acme, bob, asBob, links }) => {
    const { token } = await invited(asBob, { email: newAddress(), role: 'ADMIN' })
    world.clock.advance(SECOND)
    fieldOf(await end(acme.call, asBob, bob))
    await links.expectEnded(token)
    expect(eventsOf(await peopleAs(acme.call).audit())[0]).toMatchObject({ details })
  })

  it('also during their removal: accepting waits for it, and is refused', async ({
    world,
    acme,
    bob,
    asBob,
    links,
  }) => {
    const { token } = await invited(asBob, { email: newAddress(), role: 'ADMIN' })
    const accepting = await world.database.transaction(async (db) => {
      const membership = db.selectFrom('membership').select('role').where('userId', '=', bob.userId)
      await forUpdate(db, membership.where('organizationId', '=', acme.id)).execute()
      const waiting = await untilItWaits(world, () => links.accept(token))
      await db.deleteFrom('membership').where('userId', '=', bob.userId).where('organizationId', '=', acme.id).execute()
      return waiting
    })
    expect((await accepting.done).status).toBe(404)
  })

  it('unless somebody else has invited the address again', async ({ acme, bob, asBob, links }) => {
    const email = newAddress()
    await invited(asBob, { email, role: 'ADMIN' })
    const { token } = await invited(acme.call, { email })
    fieldOf(await peopleAs(acme.call).remove(bob.userId))
    expect((await links.accept(token)).status).toBe(200)
  })

  it('and a person who becomes a Member again ends no invitations of others', async ({ acme, bob, links }) => {
    const { token } = await invited(acme.call, { email: newAddress() })
    fieldOf(await peopleAs(acme.call).changeRole(bob.userId, 'MEMBER'))
    expect((await links.view(token)).status).toBe(200)
  })
})

describe('C13: an invitation raised to Admin depends on the right of the person or key that raised it', () => {
  const raise = async (by: Call, userId: string) => fieldOf(await peopleAs(by).changeRole(userId, 'ADMIN'))
  it('a person: it ends when they are removed, whoever invited first', async ({ acme, bob, asBob, links }) => {
    const { token, user } = await invited(acme.call, { email: newAddress() })
    await raise(asBob, user.id)
    fieldOf(await peopleAs(acme.call).remove(bob.userId))
    await links.expectEnded(token)
  })

  it('a key: it ends when the key is revoked', async ({ acme, key, asKey, links }) => {
    const { token, user } = await invited(acme.call, { email: newAddress() })
    await raise(asKey, user.id)
    fieldOf(await acme.call(revoke, { id: key.id }))
    await links.expectEnded(token)
  })

  it('a person, after a key that may not manage keys: it lets an Admin in', async ({ ada, acme, asBob, links }) => {
    await mayNotManageKeys(ada, acme)
    const { user } = await links.byKey('MEMBER')
    await raise(asBob, user.id)
    const { token } = await invited(asBob, { email: user.email, role: 'ADMIN' })
    expect((await links.accept(token)).status).toBe(200)
  })

  it('and still on that of whoever created it, and has its link', async ({ acme, key, asBob, bob, links }) => {
    const ofKey = await links.byKey('MEMBER')
    await raise(asBob, ofKey.user.id)
    fieldOf(await acme.call(revoke, { id: key.id }))
    await links.expectEnded(ofKey.token)
    const ofBob = await invited(asBob, { email: newAddress() })
    await raise(acme.call, ofBob.user.id)
    fieldOf(await peopleAs(acme.call).changeRole(bob.userId, 'MEMBER'))
    await links.expectEnded(ofBob.token)
  })

  it('and no longer on that of whoever raised it, once it is for a Member again', async ({
    acme,
    key,
    asKey,
    links,
  }) => {
    const { token, user } = await invited(acme.call, { email: newAddress() })
    await raise(asKey, user.id)
    fieldOf(await peopleAs(acme.call).changeRole(user.id, 'MEMBER'))
    fieldOf(await acme.call(revoke, { id: key.id }))
    expect((await links.accept(token)).status).toBe(200)
  })

  it('but changing it to Member transfers nothing', async ({ acme, bob, asBob, links }) => {
    const { token, user } = await invited(asBob, { email: newAddress(), role: 'ADMIN' })
    fieldOf(await peopleAs(acme.call).changeRole(user.id, 'MEMBER'))
    fieldOf(await peopleAs(acme.call).remove(bob.userId))
    await links.expectEnded(token)
  })
})

describe('C13: a key that may not manage keys', () => {
  it('cannot make anybody an Admin, by an invitation or by a role', async ({ world, ada, acme, asKey, links }) => {
    await mayNotManageKeys(ada, acme)
    const as = peopleAs(asKey)
    const open = await invited(acme.call, { email: newAddress(), role: 'ADMIN' })
    const eve = await joined(world, acme, 'Eve', 'MEMBER')
    const member = await links.byKey('MEMBER')
    const answers = [
      await as.invite({ email: newAddress(), role: 'ADMIN' }),
      await as.invite({ email: open.user.email, role: 'ADMIN' }),
      await as.changeRole(member.user.id, 'ADMIN'),
      await as.changeRole(eve.userId, 'ADMIN'),
    ]
    expect(answers.map(codesOf)).toEqual(Array(4).fill(['FORBIDDEN']))
    expect(answers[0]?.errors[0]?.message).toMatch(/cannot make anybody an Admin.*ask a person who is an Admin/)
    expect((await links.view(open.token)).status).toBe(200)
  })

  it('can invite people as Members, and make members Members', async ({ ada, acme, bob, asKey, links }) => {
    await mayNotManageKeys(ada, acme)
    const as = peopleAs(asKey)
    expect(codesOf(await as.changeRole(bob.userId, 'MEMBER'))).toEqual([])
    expect((await links.accept((await links.byKey()).token)).status).toBe(200)
  })
})
