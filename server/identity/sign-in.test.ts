import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { passLimitTime } from '../../test/support/world/limit-time.ts'
import { codesOf, eventsOf, isSignedIn, peopleAs, refusalOf } from '../../test/support/world/people.ts'
import { CHEAPEST, PASSWORD, startWorld, type World } from '../../test/support/world/world.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import type { AuthRequest } from './auth-request.ts'
import { argon2id, createPasswords, type Passwords } from './password.ts'
import { signIn } from './sign-in.ts'
import { createThrottle } from './throttle.ts'

const UNAUTHENTICATED = { code: 'UNAUTHENTICATED' }
const WRONG = { status: 401, code: 'UNAUTHENTICATED', message: 'Email address or password is wrong.' }

const it = inWorld(() => startWorld({ env: { TRUST_PROXY: 'on' } }))

const tryFrom = (world: World, address: string, email: string, password: string) =>
  world.post('/auth/sign-in', { email, password }, { headers: { 'x-forwarded-for': address } })

describe('signing in', () => {
  it('returns the person, the personal account and a cookie for the portal route', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const answer = await world.post('/auth/sign-in', { email: ` ${ada.email.toUpperCase()} `, password: PASSWORD })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      user: { id: ada.userId, name: 'Ada', email: ada.email },
      organization: { slug: ada.personalSlug, name: 'Ada' },
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await isSignedIn(world, answer.cookie)).toBe(true)
    expect(answer.cookie).not.toBe(ada.cookie)
  })

  it('sets a cookie that scripts and other sites cannot read', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const { headers } = await tryFrom(world, '203.0.113.1', ada.email, PASSWORD)
    const [cookie = ''] = headers.getSetCookie()
    expect(cookie).toMatch(/^portal-session=ems_[0-9A-Za-z]{49}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  it('is recorded in the audit log of the personal account', async ({ world }) => {
    const ada = await world.signUp('Ada')
    world.clock.advance(SECOND)
    await tryFrom(world, '203.0.113.9', ada.email, PASSWORD)
    const [latest] = eventsOf(await peopleAs(ada.call).audit())
    expect(latest).toEqual({
      action: 'USER_SIGNED_IN',
      subject: 'Ada',
      details: 'from 203.0.113.9',
      actor: { kind: 'USER', name: 'Ada' },
    })
  })

  it('gives the same answer for an unknown address as for a wrong password', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const known = await tryFrom(world, '203.0.113.2', ada.email, 'not the passphrase')
    const unknown = await tryFrom(world, '203.0.113.2', 'nobody-at-all@example.com', 'not the passphrase')
    expect(refusalOf(known)).toEqual(WRONG)
    expect(refusalOf(unknown)).toEqual(WRONG)
    const heads = [known, unknown].map(({ headers }) => [...headers.keys()])
    expect(heads[0]).toEqual(heads[1])
    expect(known.cookie).toBeUndefined()
  })

  it('does the same work for an unknown address as for a wrong password: one hash of the same cost', async ({
    world,
  }) => {
    const ada = await world.signUp('Ada')
    const work: object[] = []
    const passwords = createPasswords({
      cost: CHEAPEST,
      derive: (input) => {
        work.push({ ...input, message: input.message.toString(), nonce: input.nonce.length })
        return argon2id(input)
      },
    })
    for (const email of [ada.email, 'nobody-at-all@example.com']) {
      await expect(signIn(visitOf(world, passwords), { email, password: 'wrong' })).rejects.toMatchObject(
        UNAUTHENTICATED,
      )
    }
    const once = { ...CHEAPEST, tagLength: 32, nonce: 16, message: 'wrong' }
    expect(work).toEqual([once, once])
  })

  it('is slowed down after five wrong attempts for an address and a source, whether the address exists or not', async ({
    world,
  }) => {
    const ada = await world.signUp('Ada')
    for (const email of [ada.email, 'no-such-person@example.com']) {
      for (let i = 0; i < 5; i++) expect(refusalOf(await tryFrom(world, '203.0.113.3', email, 'wrong'))).toEqual(WRONG)
      const limited = await tryFrom(world, '203.0.113.3', email, PASSWORD)
      expect(refusalOf(limited)).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
      expect(limited.headers.get('retry-after')).toMatch(/^(60|[1-5]\d)$/)
    }
    expect((await tryFrom(world, '203.0.113.4', ada.email, PASSWORD)).status).toBe(200)
    passLimitTime(MINUTE)
    expect((await tryFrom(world, '203.0.113.3', ada.email, PASSWORD)).status).toBe(200)
    expect(refusalOf(await tryFrom(world, '203.0.113.3', ada.email, 'wrong'))).toEqual(WRONG)
  })

  it('counts an IPv6 source by its /64', async ({ world }) => {
    const ada = await world.signUp('Ada')
    for (let i = 0; i < 5; i++) await tryFrom(world, `2001:db8:0:1::${i}`, ada.email, 'wrong')
    expect((await tryFrom(world, '2001:db8:0:1:ffff::1', ada.email, PASSWORD)).status).toBe(429)
    expect((await tryFrom(world, '2001:db8:0:2::1', ada.email, PASSWORD)).status).toBe(200)
  })

  it('checks at most five of many concurrent attempts', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const tries = Array.from({ length: 20 }, () => tryFrom(world, '203.0.113.5', ada.email, 'wrong'))
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(15).fill(429)])
  })

  it('refuses an old password that was checked while a new one was set', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const passwords = createPasswords({ cost: CHEAPEST })
    const passwordHash = await passwords.hash('quite another passphrase')
    const { database } = world
    const changedMeanwhile: typeof database = {
      ...database,
      transaction: async (work) => {
        await database.transaction((db) =>
          db.updateTable('user').set({ passwordHash }).where('id', '=', ada.userId).execute(),
        )
        return database.transaction(work)
      },
    }
    const visit = { ...visitOf(world, passwords), database: changedMeanwhile }
    await expect(signIn(visit, { email: ada.email, password: PASSWORD })).rejects.toMatchObject(UNAUTHENTICATED)
  })
})

describe('signing up', () => {
  const signUp = (world: World, input: object) =>
    world.post('/auth/sign-up', { email: 'x@example.com', name: 'X', password: PASSWORD, ...input })

  it('C5: creates a person with a personal account, as its only Admin, with API keys off', async ({ world }) => {
    const { cookie = '', status } = await signUp(world, { email: 'Grace@Example.com', name: 'Grace  Hopper' })
    expect(status).toBe(200)
    const { body } = await world.post(
      '/portal/graphql',
      {
        query:
          '{ viewer { role user { name email role } organization { kind name apiKeysEnabled } } users { totalCount } }',
      },
      { cookie },
    )
    expect(body).toEqual({
      data: {
        viewer: {
          role: 'ADMIN',
          user: { name: 'Grace  Hopper', email: 'grace@example.com', role: 'ADMIN' },
          organization: { kind: 'PERSONAL', name: 'Grace  Hopper', apiKeysEnabled: false },
        },
        users: { totalCount: 1 },
      },
    })
  })

  it('refuses an existing address, in upper or lower case, and stores nothing', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const before = await organizationIds(world)
    const answer = await signUp(world, { email: ada.email.toUpperCase() })
    expect(refusalOf(answer)).toMatchObject({ status: 409, code: 'CONFLICT', field: 'email' })
    const after = await organizationIds(world)
    expect(after).toEqual(before)
    const twins = await Promise.all([
      signUp(world, { email: 'twin@example.com' }),
      signUp(world, { email: 'twin@example.com' }),
    ])
    expect(twins.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('names the invalid field, and never repeats the password', async ({ world }) => {
    const cases: [object, string][] = [
      [{ email: 'nobody' }, 'email'],
      [{ email: 5 }, 'email'],
      [{ email: null }, 'email'],
      [{ name: '   ' }, 'name'],
      [{ name: 'x'.repeat(81) }, 'name'],
      [{ name: 'a\u0000b' }, 'name'],
      [{ password: 'too short' }, 'password'],
      [{ password: 'Password1234' }, 'password'],
      [{ password: ['a long enough passphrase'] }, 'password'],
    ]
    for (const [input, field] of cases) {
      const refusal = refusalOf(await signUp(world, { ...input }))
      expect(refusal, field).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', field })
      expect(refusal?.message).not.toMatch(/too short|1234|long enough/)
    }
  })

  it('is refused when SIGN_UP is off, but invitations work', async () => {
    const closed = await startWorld({ env: { SIGN_UP: 'off' } })
    const body = { email: 'ada@example.com', name: 'Ada', password: PASSWORD }
    expect(refusalOf(await closed.post('/auth/sign-up', body))).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    await closed.close()
  })
})

describe('signing out', () => {
  it('revokes the session at once, on the server and in the browser', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const answer = await world.post('/auth/sign-out', {}, { cookie: ada.cookie })
    expect(answer.status).toBe(200)
    expect(answer.headers.getSetCookie()[0]).toMatch(/^portal-session=; Max-Age=0; Path=\/;/)
    expect(await isSignedIn(world, ada.cookie)).toBe(false)
    expect(codesOf(await ada.call('{ viewer { role } }'))).toEqual(['UNAUTHENTICATED'])
  })

  it('also works without a session', async ({ world }) => {
    expect((await world.post('/auth/sign-out', {})).status).toBe(200)
    expect((await world.post('/auth/sign-out', {}, { cookie: 'portal-session=garbage' })).status).toBe(200)
  })
})

async function organizationIds(world: World): Promise<string[]> {
  const rows = await world.database.read.selectFrom('organization').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

function visitOf(world: World, passwords: Passwords): AuthRequest {
  const { database, clock } = world
  return { database, now: clock.now, throttle: createThrottle(), passwords, address: '::1', userAgent: '' }
}
