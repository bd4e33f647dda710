import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { eventsOf, invited, isSignedIn, joined, peopleAs, refusalOf, usersOf } from '../../test/support/world/people.ts'
import { CHEAPEST, PASSWORD, startWorld, type World } from '../../test/support/world/world.ts'
import { HOUR, SECOND } from '../lib/clock.ts'
import { mintSecret } from '../secrets/secret.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { createPasswords } from './password.ts'
import { revokeAllSessions } from './session.ts'
import { lookUpSession } from './session-lookup.ts'
import { createThrottle } from './throttle.ts'

const DEAD = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'This invitation has been used, has expired, was withdrawn or never existed. Ask for a new one.',
}

const it = inOrganization(startWorld)

let addresses = 0

const newAddress = () => `new-${++addresses}@example.com`
const accept = (world: World, body: object, cookie?: string) =>
  world.post('/auth/accept-invitation', body, cookie ? { cookie } : {})
const view = (world: World, token: string) => world.post('/auth/invitation', { token })

describe('accepting an invitation without an account', () => {
  it('creates the person under the id of the invitation, with a personal account and the role', async ({
    world,
    acme,
  }) => {
    const email = newAddress()
    const { user, token } = await invited(acme.call, { email, role: 'ADMIN' })
    const { status, body, cookie = '' } = await accept(world, { token, name: 'Grace', password: PASSWORD })
    expect(status).toBe(200)
    expect(body).toEqual({
      user: { id: user.id, name: 'Grace', email },
      organization: { slug: acme.slug, name: 'Acme' },
    })
    const grace = await world.personOf('Grace', email, { status, body, cookie, headers: new Headers() })
    const people = usersOf(await peopleAs((query, variables) => grace.call(query, variables, acme.slug)).list()).data
    expect(people.find(({ id }) => id === user.id)).toMatchObject({ name: 'Grace', role: 'ADMIN', invited: false })
    expect(people).toHaveLength(2)
    const own = await grace.call('{ viewer { role organization { kind name apiKeysEnabled } } }')
    expect(own.data).toEqual({
      viewer: { role: 'ADMIN', organization: { kind: 'PERSONAL', name: 'Grace', apiKeysEnabled: false } },
    })
    expect((await world.post('/auth/sign-in', { email, password: PASSWORD })).status).toBe(200)
  })

  it('uses the name of the invitation, and needs one', async ({ world, acme }) => {
    const named = await invited(acme.call, { email: newAddress(), name: 'Grace Hopper' })
    expect((await accept(world, { token: named.token, password: PASSWORD })).body).toMatchObject({
      user: { name: 'Grace Hopper' },
    })
    const unnamed = await invited(acme.call, { email: newAddress() })
    const body = { token: unnamed.token, password: PASSWORD }
    expect(refusalOf(await accept(world, body))).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', field: 'name' })
    expect((await accept(world, { ...body, name: 'Lin' })).status).toBe(200)
  })

  it('needs a valid password, and a refused one does not use up the link', async ({ world, acme }) => {
    const { token } = await invited(acme.call, { email: newAddress(), name: 'Lin' })
    for (const password of [undefined, 'short', 'passwordpassword']) {
      expect(refusalOf(await accept(world, { token, password }))).toMatchObject({ status: 400, field: 'password' })
    }
    expect((await accept(world, { token, password: PASSWORD })).status).toBe(200)
  })

  it('is recorded in the audit log of the organization', async ({ world, acme }) => {
    const { token, user } = await invited(acme.call, { email: newAddress(), name: 'Lin' })
    world.clock.advance(SECOND)
    await accept(world, { token, password: PASSWORD })
    const events = eventsOf(await peopleAs(acme.call).audit())
    expect(events.slice(0, 2)).toEqual([
      { action: 'USER_JOINED', subject: 'Lin', details: 'as MEMBER', actor: { kind: 'USER', name: 'Lin' } },
      { action: 'USER_INVITED', subject: user.email, details: 'as MEMBER', actor: { kind: 'USER', name: 'Ada' } },
    ])
    expect(JSON.stringify(events)).not.toContain(token)
  })

  it('works with SIGN_UP off', async () => {
    const closed = await startWorld({ env: { SIGN_UP: 'on' } })
    const founder = await closed.signUp('Founder')
    const club = await closed.organization('Club', { admin: founder })
    const { token } = await invited((query, variables) => founder.call(query, variables, club.slug), {
      email: newAddress(),
    })
    const reopened = await startWorld({ env: { SIGN_UP: 'off' }, beside: closed })
    const answer = await reopened.post('/auth/accept-invitation', { token, name: 'Lin', password: PASSWORD })
    expect(answer.status).toBe(200)
    await reopened.close()
    await closed.close()
  })
})

describe('accepting an invitation with an account', () => {
  it('uses the session of the invited person, which continues', async ({ world, acme }) => {
    const bob = await world.signUp('Bob')
    const { token } = await invited(acme.call, { email: bob.email })
    const answer = await accept(world, { token }, bob.cookie)
    expect(answer).toMatchObject({ status: 200, cookie: undefined, body: { user: { id: bob.userId, name: 'Bob' } } })
    const { data } = await bob.call('{ viewer { role user { id } } }', {}, acme.slug)
    expect(data).toEqual({ viewer: { role: 'MEMBER', user: { id: bob.userId } } })
  })

  it('signs in with the right password', async ({ world, acme }) => {
    const bob = await world.signUp('Bob')
    const { token } = await invited(acme.call, { email: bob.email })
    const answer = await accept(world, { token, password: PASSWORD, name: 'Somebody Else' })
    expect(answer).toMatchObject({ status: 200, body: { user: { id: bob.userId, name: 'Bob' } } })
    expect(await isSignedIn(world, answer.cookie)).toBe(true)
  })

  it('is refused to everybody else, with a message to sign in, and guessing is slowed down', async ({
    world,
    acme,
  }) => {
    const [bob, eve] = [await world.signUp('Bob'), await world.signUp('Eve')]
    const { token } = await invited(acme.call, { email: bob.email })
    const refused = { status: 401, code: 'UNAUTHENTICATED', message: expect.stringContaining('Sign in') }
    expect(refusalOf(await accept(world, { token }))).toEqual(refused)
    expect(refusalOf(await accept(world, { token }, eve.cookie))).toEqual(refused)
    expect(refusalOf(await accept(world, { token, name: 'Bob', password: 'another passphrase' }))).toEqual(refused)
    for (let i = 0; i < 4; i++) await accept(world, { token, password: 'wrong' })
    expect(refusalOf(await accept(world, { token, password: PASSWORD }))).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
    })
    const signingIn = await world.post('/auth/sign-in', { email: bob.email, password: PASSWORD })
    expect(signingIn.status).toBe(429)
    expect((await accept(world, { token }, bob.cookie)).status).toBe(200)
  })

  it('is refused for a session or a password that has just become invalid', async ({ world, acme }) => {
    const bob = await world.signUp('Bob')
    const { token } = await invited(acme.call, { email: bob.email })
    const { database, clock } = world
    const found = await lookUpSession(database, bob.cookie.split('=')[1] ?? '', undefined)
    if (found.outcome !== 'accepted') throw new Error(found.outcome)
    const passwords = createPasswords({ cost: CHEAPEST })
    const passwordHash = await passwords.hash('quite another passphrase')
    const meanwhile: typeof database = {
      ...database,
      transaction: async (work) => {
        await database.transaction((db) => revokeAllSessions(db, bob.userId))
        await database.transaction((db) =>
          db.updateTable('user').set({ passwordHash }).where('id', '=', bob.userId).execute(),
        )
        return database.transaction(work)
      },
    }
    const throttle = createThrottle()
    const visit = { database: meanwhile, now: clock.now, throttle, passwords, address: '::1', userAgent: '' }
    const refused = { code: 'UNAUTHENTICATED' }
    await expect(acceptInvitation(visit, { token, password: PASSWORD })).rejects.toMatchObject(refused)
    await expect(acceptInvitation(visit, { token, caller: found.caller })).rejects.toMatchObject(refused)
    expect((await view(world, token)).status).toBe(200)
  })

  it('keeps the role of a person who became a member in another way', async ({ world, acme }) => {
    const bob = await world.signUp('Bob')
    const { token } = await invited(acme.call, { email: bob.email, role: 'MEMBER' })
    const membership = { organizationId: acme.id, userId: bob.userId, role: 'ADMIN', createdAt: 0 } as const
    await world.database.transaction((db) => db.insertInto('membership').values(membership).execute())
    expect((await accept(world, { token }, bob.cookie)).status).toBe(200)
    const { data } = await bob.call('{ viewer { role } }', {}, acme.slug)
    expect(data).toEqual({ viewer: { role: 'ADMIN' } })
  })
})

describe('an invitation link', () => {
  it('shows what it is for', async ({ world, acme }) => {
    const bob = await world.signUp('Bob')
    const [known, unknown] = [
      await invited(acme.call, { email: bob.email, role: 'ADMIN' }),
      await invited(acme.call, { email: newAddress(), name: 'Lin' }),
    ]
    const organization = { slug: acme.slug, name: 'Acme' }
    expect((await view(world, known.token)).body).toEqual({
      organization,
      email: bob.email,
      name: '',
      role: 'ADMIN',
      hasAccount: true,
    })
    expect((await view(world, unknown.token)).body).toEqual({
      organization,
      email: unknown.user.email,
      name: 'Lin',
      role: 'MEMBER',
      hasAccount: false,
    })
  })

  it('works once, also for two at the same time', async ({ world, acme }) => {
    const { token } = await invited(acme.call, { email: newAddress(), name: 'Lin' })
    const answers = await Promise.all([
      accept(world, { token, password: PASSWORD }),
      accept(world, { token, password: PASSWORD }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
    const bob = await world.signUp('Bob')
    const second = await invited(acme.call, { email: bob.email })
    const again = await Promise.all([
      accept(world, { token: second.token }, bob.cookie),
      accept(world, { token: second.token }, bob.cookie),
    ])
    expect(again.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(usersOf(await peopleAs(acme.call).list()).totalCount).toBe(3)
  })

  it('works for 72 hours', async ({ world, acme }) => {
    const [early, late] = [
      await invited(acme.call, { email: newAddress() }),
      await invited(acme.call, { email: newAddress() }),
    ]
    world.clock.advance(72 * HOUR - 1)
    expect((await accept(world, { token: early.token, name: 'Early', password: PASSWORD })).status).toBe(200)
    world.clock.advance(1)
    expect(refusalOf(await accept(world, { token: late.token, name: 'Late', password: PASSWORD }))).toEqual(DEAD)
    expect(refusalOf(await view(world, late.token))).toEqual(DEAD)
  })

  it('C13: is dead once the inviter is no longer an Admin, even if it is still stored', async ({ world, acme }) => {
    const { token } = await invited(acme.call, { email: newAddress() })
    await world.database.transaction((db) =>
      db.updateTable('membership').set({ role: 'MEMBER' }).where('organizationId', '=', acme.id).execute(),
    )
    expect(refusalOf(await view(world, token))).toEqual(DEAD)
    expect(refusalOf(await accept(world, { token, name: 'Mole', password: PASSWORD }))).toEqual(DEAD)
  })

  it('C13: is dead once the inviter is no longer an Admin, also if another one has raised it', async ({
    world,
    acme,
  }) => {
    const bob = await joined(world, acme, 'Bob', 'ADMIN')
    const { token, user } = await invited(acme.call, { email: newAddress() })
    await peopleAs((query, variables) => bob.call(query, variables, acme.slug)).changeRole(user.id, 'ADMIN')
    expect((await view(world, token)).status).toBe(200)
    await world.database.transaction((db) =>
      db
        .updateTable('membership')
        .set({ role: 'MEMBER' })
        .where('organizationId', '=', acme.id)
        .where('userId', '=', acme.admin.userId)
        .execute(),
    )
    expect(refusalOf(await view(world, token))).toEqual(DEAD)
  })

  it('gives the same answer for used, withdrawn, replaced, mistyped and unknown', async ({ world, acme }) => {
    const used = await invited(acme.call, { email: newAddress(), name: 'Lin' })
    await accept(world, { token: used.token, password: PASSWORD })
    const withdrawn = await invited(acme.call, { email: newAddress() })
    await peopleAs(acme.call).remove(withdrawn.user.id)
    const email = newAddress()
    const replaced = await invited(acme.call, { email })
    await invited(acme.call, { email })
    const tokens = [used.token, withdrawn.token, replaced.token, '', 'x', mintSecret('emi_'), mintSecret('emr_')]
    for (const token of tokens) {
      expect(refusalOf(await view(world, token))).toEqual(DEAD)
      expect(refusalOf(await accept(world, { token, name: 'Lin', password: PASSWORD }))).toEqual(DEAD)
    }
  })
})
