import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { type Call, codesOf, eventsOf, fieldOf, invited, peopleAs, usersOf } from '../../test/support/world/people.ts'
import { PATIENT, untilItWaits } from '../../test/support/world/waiting.ts'
import { type Person, startWorld, type TestOrganization, type World } from '../../test/support/world/world.ts'
import { type Ctx, inTransaction } from '../caller/ctx.ts'
import { lookUpSession } from '../identity/session-lookup.ts'
import { SECOND } from '../lib/clock.ts'
import { inviteUser } from './invitation.ts'

const LAST_ADMIN = {
  code: 'CONFLICT',
  message: 'The last Admin cannot leave or lose the role: make somebody else an Admin first.',
}

const it = inOrganization(() => startWorld({ timeouts: PATIENT })).extend('members', { auto: true }, ({ bob }) => [bob])

/** A request that has passed the door as this person, and has not written yet. */
async function onTheirWay(world: World, acme: TestOrganization, { cookie }: Person): Promise<Ctx> {
  const { database, clock } = world
  const found = await lookUpSession(database, cookie.split('=')[1] ?? '', acme.slug)
  if (found.outcome !== 'accepted') throw new Error(found.outcome)
  return { caller: found.caller, reads: database.read, database, now: clock.now }
}

const as = (acme: TestOrganization, person: Person) => peopleAs(callAs(acme, person))
const callAs =
  (acme: TestOrganization, person: Person): Call =>
  (query, variables) =>
    person.call(query, variables, acme.slug)

const rolesIn = async (acme: TestOrganization, person = acme.admin) =>
  Object.fromEntries(usersOf(await as(acme, person).list()).data.map(({ name, role }) => [name, role]))

const latestEvent = async (acme: TestOrganization) => eventsOf(await as(acme, acme.admin).audit())[0]

describe('changing a role', () => {
  it('makes a Member an Admin and back, from the next request on', async ({ ada, bob, acme }) => {
    const answer = await as(acme, ada).changeRole(bob.userId, 'ADMIN')
    expect(fieldOf(answer)).toMatchObject({ id: bob.userId, name: 'Bob', role: 'ADMIN', invited: false })
    expect(codesOf(await as(acme, bob).audit())).toEqual([])
    await as(acme, ada).changeRole(bob.userId, 'MEMBER')
    expect(codesOf(await as(acme, bob).audit())).toEqual(['FORBIDDEN'])
    expect(await rolesIn(acme)).toEqual({ Ada: 'ADMIN', Bob: 'MEMBER' })
    expect(fieldOf(await bob.call('{ viewer { role } }'))).toEqual({ role: 'ADMIN' }) // in their own account as before
  })

  it('is recorded in the audit log, unless nothing changes', async ({ world, ada, bob, acme }) => {
    world.clock.advance(SECOND)
    await as(acme, ada).changeRole(bob.userId, 'ADMIN')
    const event = {
      action: 'USER_ROLE_CHANGED',
      subject: 'Bob',
      details: 'MEMBER to ADMIN',
      actor: { kind: 'USER', name: 'Ada' },
    }
    expect(await latestEvent(acme)).toEqual(event)
    world.clock.advance(SECOND)
    await as(acme, ada).changeRole(bob.userId, 'ADMIN')
    expect(eventsOf(await as(acme, ada).audit()).filter(({ action }) => action === event.action)).toHaveLength(1)
  })

  it('changes the role of an invitation', async ({ world, ada, acme }) => {
    const { user, token } = await invited(callAs(acme, ada), { email: 'lin@example.com' })
    expect(fieldOf(await as(acme, ada).changeRole(user.id, 'ADMIN'))).toEqual({ ...user, role: 'ADMIN' })
    expect((await world.post('/auth/invitation', { token })).body).toMatchObject({ role: 'ADMIN' })
  })

  it('is refused for the last Admin; an invited Admin does not count', async ({ world, ada, bob, acme }) => {
    await invited(callAs(acme, ada), { email: 'lin@example.com', role: 'ADMIN' })
    expect((await as(acme, ada).changeRole(ada.userId, 'MEMBER')).errors).toMatchObject([LAST_ADMIN])
    const key = world.asKey((await acme.generateKey()).secret)
    expect((await peopleAs(key.call).changeRole(ada.userId, 'MEMBER')).errors).toMatchObject([LAST_ADMIN])
    expect((await peopleAs(ada.call).changeRole(ada.userId, 'MEMBER')).errors).toMatchObject([LAST_ADMIN])
    await as(acme, ada).changeRole(bob.userId, 'ADMIN')
    expect(codesOf(await as(acme, ada).changeRole(ada.userId, 'MEMBER'))).toEqual([])
    expect(await rolesIn(acme, bob)).toMatchObject({ Ada: 'MEMBER', Bob: 'ADMIN' })
  })

  it('leaves one Admin when two demote each other at once', async ({ ada, bob, acme }) => {
    await as(acme, ada).changeRole(bob.userId, 'ADMIN')
    await Promise.all([as(acme, ada).changeRole(bob.userId, 'MEMBER'), as(acme, bob).changeRole(ada.userId, 'MEMBER')])
    expect(Object.values(await rolesIn(acme)).sort()).toEqual(['ADMIN', 'MEMBER'])
  })
})

describe('removing', () => {
  it('takes effect with the next request, and affects nothing else of the person', async ({ ada, bob, acme }) => {
    expect(fieldOf(await as(acme, ada).remove(bob.userId))).toBe(bob.userId)
    expect(codesOf(await bob.call('{ viewer { role } }', {}, acme.slug))).toEqual(['NOT_FOUND'])
    expect(codesOf(await bob.call('{ viewer { role } }'))).toEqual([])
    expect(await rolesIn(acme)).toEqual({ Ada: 'ADMIN' })
    expect(codesOf(await as(acme, ada).remove(bob.userId))).toEqual(['NOT_FOUND'])
  })

  it('affects requests in progress: they can no longer write', async ({ world, ada, bob, acme }) => {
    await as(acme, ada).changeRole(bob.userId, 'ADMIN')
    const ctx = await onTheirWay(world, acme, bob)
    const invite = () => inviteUser(ctx, { email: 'mole@example.com', origin: world.url })
    await as(acme, ada).changeRole(bob.userId, 'MEMBER')
    await expect(invite()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await as(acme, ada).remove(bob.userId)
    await expect(invite()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await world.post('/auth/sign-out', {}, { cookie: bob.cookie })
    await expect(invite()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(usersOf(await as(acme, ada).list()).totalCount).toBe(1)
  })

  it.for<[string, (bob: Person, acme: TestOrganization, world: World) => Promise<{ status: number }>]>([
    ['demoted', (bob, acme) => as(acme, acme.admin).changeRole(bob.userId, 'MEMBER')],
    ['removed', (bob, acme) => as(acme, acme.admin).remove(bob.userId)],
    ['signed out', ({ cookie }, _acme, world) => world.post('/auth/sign-out', {}, { cookie })],
  ])(
    'waits for a write in progress by a person who is %s: it commits first',
    async ([_how, takeAway], { world, ada, bob, acme }) => {
      await as(acme, ada).changeRole(bob.userId, 'ADMIN')
      const [entered, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const order: string[] = []
      const writing = inTransaction(await onTheirWay(world, acme, bob), async () => {
        entered.resolve()
        await letGo.promise
      }).then(() => order.push('written'))
      await entered.promise
      const { done } = await untilItWaits(world, () =>
        takeAway(bob, acme, world).then(({ status }) => order.push(`taken away: ${status}`)),
      )
      expect(order).toEqual([])
      letGo.resolve()
      await Promise.all([writing, done]) // the news of the two may come in any order
      expect(order.toSorted()).toEqual(['taken away: 200', 'written'])
    },
  )

  it('C6: keeps the keys that the person created', async ({ world, ada, bob, acme }) => {
    await as(acme, ada).changeRole(bob.userId, 'ADMIN')
    const key = await world.generateKey(bob, acme, { label: 'by bob' })
    await as(acme, ada).remove(bob.userId)
    const { data } = await world.asKey(key.secret).call(`{ apiKey(id: "${key.id}") { createdBy { kind name } } }`)
    expect(data).toEqual({ apiKey: { createdBy: { kind: 'USER', name: 'Bob' } } })
  })

  it('withdraws an invitation', async ({ world, ada, acme }) => {
    const { user, token } = await invited(callAs(acme, ada), { email: 'lin@example.com', name: 'Lin' })
    world.clock.advance(SECOND)
    expect(fieldOf(await as(acme, ada).remove(user.id))).toBe(user.id)
    expect((await world.post('/auth/invitation', { token })).status).toBe(404)
    const actor = { kind: 'USER', name: 'Ada' }
    expect(await latestEvent(acme)).toEqual({
      action: 'USER_REMOVED',
      subject: 'Lin',
      details: 'invitation withdrawn',
      actor,
    })
  })

  it('K6: can be done by a key, and is recorded under its name', async ({ world, bob, acme }) => {
    const key = world.asKey((await acme.generateKey({ label: 'ci' })).secret)
    world.clock.advance(SECOND)
    expect(fieldOf(await peopleAs(key.call).remove(bob.userId))).toBe(bob.userId)
    const actor = { kind: 'API_KEY', name: 'ci' }
    expect(await latestEvent(acme)).toEqual({ action: 'USER_REMOVED', subject: 'Bob', details: null, actor })
  })

  it('is refused for the last Admin', async ({ world, ada, acme }) => {
    const key = world.asKey((await acme.generateKey()).secret)
    for (const people of [as(acme, ada), peopleAs(key.call)]) {
      expect((await people.remove(ada.userId)).errors).toMatchObject([LAST_ADMIN])
    }
    expect(await rolesIn(acme)).toEqual({ Ada: 'ADMIN', Bob: 'MEMBER' })
  })

  it('leaves one Admin when two remove each other, or both leave, at once', async ({ world, ada, bob, acme }) => {
    await as(acme, ada).changeRole(bob.userId, 'ADMIN')
    await Promise.all([as(acme, ada).remove(ada.userId), as(acme, bob).remove(bob.userId)])
    const rows = await world.database.read
      .selectFrom('membership')
      .select('role')
      .where('organizationId', '=', acme.id)
      .execute()
    expect(rows).toEqual([{ role: 'ADMIN' }])
  })

  it('C11: is recorded as not before they joined, though the clock was set back', async ({ world, bob, acme }) => {
    const { clock, database } = world
    const member = database.read.selectFrom('membership').select('createdAt').where('userId', '=', bob.userId)
    const { createdAt } = await member.where('organizationId', '=', acme.id).executeTakeFirstOrThrow()
    const setBackMs = clock.now() - createdAt + SECOND
    clock.advance(-setBackMs)
    fieldOf(await as(acme, acme.admin).remove(bob.userId))
    clock.advance(setBackMs)
    const recorded = database.read.selectFrom('revocation').select('endsAt').where('subject', '=', bob.userId)
    expect(await recorded.where('kind', '=', 'MEMBERSHIP').execute()).toEqual([{ endsAt: createdAt }])
  })
})

describe('leaving', () => {
  it('is possible for a Member, and recorded as leaving', async ({ world, bob, acme }) => {
    world.clock.advance(SECOND)
    expect(fieldOf(await as(acme, bob).remove(bob.userId))).toBe(bob.userId)
    expect(await latestEvent(acme)).toEqual({
      action: 'USER_LEFT',
      subject: 'Bob',
      details: null,
      actor: { kind: 'USER', name: 'Bob' },
    })
    expect(codesOf(await as(acme, bob).list())).toEqual(['NOT_FOUND'])
  })

  it('is possible for an Admin who is not the last', async ({ ada, bob, acme }) => {
    await as(acme, ada).changeRole(bob.userId, 'ADMIN')
    expect(fieldOf(await as(acme, ada).remove(ada.userId))).toBe(ada.userId)
    expect(await rolesIn(acme, bob)).toEqual({ Bob: 'ADMIN' })
  })

  it('is not possible from a personal account, by the person or by a key of it', async ({ world, ada }) => {
    await ada.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
    const key = world.asKey((await world.generateKey(ada, { slug: ada.personalSlug })).secret)
    for (const people of [peopleAs(ada.call), peopleAs(key.call)]) {
      const { errors } = await people.remove(ada.userId)
      expect(errors).toMatchObject([{ code: 'FORBIDDEN', message: 'You cannot leave a personal account.' }])
    }
  })
})

describe('without permission', () => {
  it('K2: a Member changes nobody, not even their own role, and learns nothing about ids', async ({
    ada,
    bob,
    acme,
  }) => {
    const { user } = await invited(callAs(acme, ada), { email: 'lin@example.com' })
    for (const id of [ada.userId, user.id, 'never-was']) {
      const answers = [await as(acme, bob).remove(id), await as(acme, bob).changeRole(id, 'MEMBER')]
      expect(answers.map(codesOf)).toEqual([['FORBIDDEN'], ['FORBIDDEN']])
    }
    expect(codesOf(await as(acme, bob).changeRole(bob.userId, 'ADMIN'))).toEqual(['FORBIDDEN'])
    expect(usersOf(await as(acme, bob).list()).totalCount).toBe(3)
  })

  it('strangers, support, no session, and keys that are revoked or of another organization', async ({
    world,
    ada,
    bob,
    acme,
  }) => {
    const [eve, sam] = await Promise.all([world.signUp('Eve'), world.signUp('Sam')])
    await world.support(sam)
    const evil = await world.organization('Evil', { admin: eve })
    const foreign = await world.generateKey(eve, evil)
    const revoked = await acme.generateKey()
    await callAs(acme, ada)('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: revoked.id })
    const tried = async (call: Call) => [
      codesOf(await peopleAs(call).remove(bob.userId)),
      codesOf(await peopleAs(call).changeRole(bob.userId, 'ADMIN')),
    ]
    for (const call of [callAs(acme, eve), callAs(acme, sam), world.asKey(foreign.secret).call]) {
      expect(await tried(call)).toEqual([['NOT_FOUND'], ['NOT_FOUND']])
    }
    expect(await tried(world.nobody().call)).toEqual([['UNAUTHENTICATED'], ['UNAUTHENTICATED']])
    expect(await tried(world.asKey(revoked.secret).call)).toEqual([['API_KEY_INVALID'], ['API_KEY_INVALID']])
    expect(await rolesIn(acme)).toEqual({ Ada: 'ADMIN', Bob: 'MEMBER' })
  })

  it('an id of another organization gives the same answer as an unknown id', async ({ world, ada, acme }) => {
    const eve = await world.signUp('Eve')
    const evil = await world.organization('Evil', { admin: eve })
    const { user } = await invited((query, variables) => eve.call(query, variables, evil.slug), {
      email: 'x@example.com',
    })
    const ids = [eve.userId, user.id, 'never-was', '', '\u0000', 'x'.repeat(1000)]
    const told = await Promise.all(
      ids
        .flatMap((id) => [as(acme, ada).remove(id), as(acme, ada).changeRole(id, 'ADMIN')])
        .map(async (answer) => {
          const [{ code, message, field } = { code: 'none', message: '', field: '' }] = (await answer).errors
          return { code, message, field }
        }),
    )
    expect(new Set(told.map((one) => JSON.stringify(one)))).toHaveLength(1)
    expect(told[0]?.code).toBe('NOT_FOUND')
  })
})
