import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { codesOf, fieldOf, isSignedIn } from '../../test/support/world/people.ts'
import { PASSWORD, type Person, startWorld, type World } from '../../test/support/world/world.ts'
import { DAY, HOUR, MINUTE } from '../lib/clock.ts'
import { mintSecret } from '../secrets/secret.ts'
import { startSession, writeLastSeen } from './session.ts'
import { lookUpSession } from './session-lookup.ts'

interface Listed {
  id: string
  current: boolean
  createdAt: string
  lastSeenAt: string
  expiresAt: string
  address: string
  userAgent: string
}

const LIST = '{ sessions { id current createdAt lastSeenAt expiresAt address userAgent } }'
const END = 'mutation ($id: ID!) { revokeSession(id: $id) }'
const END_OTHERS = 'mutation { revokeOtherSessions }'

const it = inWorld(startWorld)

async function signInAgain(world: World, { email }: Person, userAgent = 'Firefox'): Promise<string> {
  const { cookie } = await world.post(
    '/auth/sign-in',
    { email, password: PASSWORD },
    { headers: { 'user-agent': userAgent } },
  )
  return cookie ?? ''
}

const tokenOf = (cookie: string) => cookie.split('=')[1] ?? ''

async function seen(world: World, token: string): Promise<void> {
  const found = await lookUpSession(world.database, token, undefined)
  if (found.outcome !== 'accepted') throw new Error(found.outcome)
  await writeLastSeen(world.database, [{ id: found.caller.sessionId, at: world.clock.now(), from: '' }])
}

describe('a session', () => {
  it('expires after 12 hours without use', async ({ world }) => {
    const ada = await world.signUp('Ada')
    world.clock.advance(12 * HOUR - 1)
    await seen(world, tokenOf(ada.cookie))
    world.clock.advance(12 * HOUR - 1)
    expect(await isSignedIn(world, ada.cookie)).toBe(true)
    world.clock.advance(12 * HOUR)
    expect(await isSignedIn(world, ada.cookie)).toBe(false)
  })

  it('expires after 7 days, however much it is used', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const end = world.clock.now() + 7 * DAY
    while (world.clock.now() + 10 * HOUR < end) {
      world.clock.advance(10 * HOUR)
      await seen(world, tokenOf(ada.cookie))
    }
    world.clock.advance(end - world.clock.now() - 1)
    expect(await isSignedIn(world, ada.cookie)).toBe(true)
    world.clock.advance(1)
    expect(await isSignedIn(world, ada.cookie)).toBe(false)
  })

  it('C8: is stored as a hash only, and expired ones are deleted when the person signs in', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const rows = () => world.database.read.selectFrom('session').selectAll().where('userId', '=', ada.userId).execute()
    expect(JSON.stringify(await rows())).not.toContain(tokenOf(ada.cookie))
    const [before] = await rows()
    expect(before?.tokenHash).toHaveLength(32)
    world.clock.advance(12 * HOUR)
    await signInAgain(world, ada)
    expect((await rows()).map(({ id }) => id)).not.toContain(before?.id)
    expect(await rows()).toHaveLength(1)
  })

  it('is one of at most 100 of a person: the oldest are deleted', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const { database, clock } = world
    await database.transaction(async (db) => {
      for (let i = 0; i < 100; i++) {
        clock.advance(1)
        await startSession(db, { userId: ada.userId, address: '::1', userAgent: 'x'.repeat(500), now: clock.now() })
      }
    })
    expect(await isSignedIn(world, ada.cookie)).toBe(false)
    const rows = await database.read
      .selectFrom('session')
      .select('userAgent')
      .where('userId', '=', ada.userId)
      .execute()
    expect(rows).toHaveLength(100)
    expect(rows[0]?.userAgent).toHaveLength(200)
  })

  it('is listed without secrets and control characters that an older version stored', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const userAgent = `Firefox\u009b ${mintSecret('emv_')} ${'x'.repeat(500)}`
    await world.database.transaction((db) =>
      db.updateTable('session').set({ userAgent }).where('userId', '=', ada.userId).execute(),
    )
    const [own] = fieldOf<Listed[]>(await ada.call(LIST))
    expect(own?.userAgent).toBe(`Firefox [secret] ${'x'.repeat(183)}`)
  })

  it('has a last seen time that never moves backwards and never revives it', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const [own] = fieldOf<Listed[]>(await ada.call(LIST))
    const at = world.clock.now()
    const note = (time: number) => writeLastSeen(world.database, [{ id: own?.id ?? '', at: time, from: '' }])
    await note(at + MINUTE)
    await note(at - MINUTE)
    const [later] = fieldOf<Listed[]>(await ada.call(LIST))
    expect(later?.lastSeenAt).toBe(new Date(at + MINUTE).toISOString())
    await world.post('/auth/sign-out', {}, { cookie: ada.cookie })
    await note(at + 2 * MINUTE)
    expect(await isSignedIn(world, ada.cookie)).toBe(false)
  })
})

describe('the lookup of a session', () => {
  it('queries the database every time, once; never for what cannot be a token', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const before = world.database.lookups.queries
    const asked = () => world.database.lookups.queries - before
    const lookUp = (token: string, slug?: string) => lookUpSession(world.database, token, slug)
    expect(await lookUp(tokenOf(ada.cookie))).toMatchObject({ outcome: 'accepted', caller: { userId: ada.userId } })
    expect(asked()).toBe(1)
    expect(await lookUp(tokenOf(ada.cookie), ada.personalSlug)).toMatchObject({ outcome: 'accepted' })
    expect(asked()).toBe(2)
    expect(await lookUp(mintSecret('ems_'))).toEqual({ outcome: 'invalid' })
    expect(asked()).toBe(3)
    const typo = `${tokenOf(ada.cookie).slice(0, -1)}~`
    for (const token of ['', 'ems_', typo, mintSecret('emp_'), mintSecret('emi_')]) {
      expect(await lookUp(token)).toEqual({ outcome: 'invalid' })
    }
    expect(asked()).toBe(3)
  })

  it('gives the same answer for an organization of others and for one that does not exist', async ({ world }) => {
    const [ada, eve] = [await world.signUp('Ada'), await world.signUp('Eve')]
    const acme = await world.organization('Acme', { admin: ada })
    const answers = await Promise.all(
      [acme.slug, ada.personalSlug, 'never-was'].map((slug) => eve.call('{ viewer { role } }', {}, slug)),
    )
    const told = answers.map(({ status, data, errors }) => ({
      status,
      data,
      errors: errors.map(({ code, message }) => ({ code, message })),
    }))
    expect(told[0]).toEqual(told[2])
    expect(told[1]).toEqual(told[2])
    expect(told[0]?.errors[0]?.code).toBe('NOT_FOUND')
  })
})

describe('the list of own sessions', () => {
  it('shows where the person is signed in, the newest first, and which session is the current one', async ({
    world,
  }) => {
    const ada = await world.signUp('Ada')
    await world.signUp('Bob')
    world.clock.advance(MINUTE)
    await signInAgain(world, ada, 'Firefox on a boat')
    const sessions = fieldOf<Listed[]>(await ada.call(LIST))
    expect(sessions.map(({ current, userAgent, address }) => ({ current, userAgent, address }))).toEqual([
      { current: false, userAgent: 'Firefox on a boat', address: '127.0.0.1' },
      { current: true, userAgent: 'node', address: '127.0.0.1' },
    ])
    const [newest] = sessions
    expect(Date.parse(newest?.expiresAt ?? '') - Date.parse(newest?.createdAt ?? '')).toBe(7 * DAY)
    world.clock.advance(12 * HOUR - MINUTE)
    const phone = await signInAgain(world, ada)
    const { body } = await world.post('/portal/graphql', { query: '{ sessions { userAgent } }' }, { cookie: phone })
    expect(body).toEqual({ data: { sessions: [{ userAgent: 'Firefox' }, { userAgent: 'Firefox on a boat' }] } })
  })

  it('omits sessions that were not used for 12 hours', async ({ world }) => {
    const ada = await world.signUp('Ada')
    await signInAgain(world, ada, 'Forgotten')
    world.clock.advance(6 * HOUR)
    await seen(world, tokenOf(ada.cookie))
    world.clock.advance(6 * HOUR)
    expect(fieldOf<Listed[]>(await ada.call(LIST)).map(({ userAgent }) => userAgent)).toEqual(['node'])
  })

  it('revokes one session, from the next request on', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const other = await signInAgain(world, ada)
    const id = fieldOf<Listed[]>(await ada.call(LIST)).find(({ current }) => !current)?.id ?? ''
    expect(fieldOf(await ada.call(END, { id }))).toBe(id)
    expect(await isSignedIn(world, other)).toBe(false)
    expect(await isSignedIn(world, ada.cookie)).toBe(true)
    expect(codesOf(await ada.call(END, { id }))).toEqual(['NOT_FOUND'])
  })

  it('revokes all others and returns how many', async ({ world }) => {
    const [ada, bob] = [await world.signUp('Ada'), await world.signUp('Bob')]
    const others = [await signInAgain(world, ada), await signInAgain(world, ada)]
    expect(fieldOf(await ada.call(END_OTHERS))).toBe(2)
    for (const cookie of others) expect(await isSignedIn(world, cookie)).toBe(false)
    for (const { cookie } of [ada, bob]) expect(await isSignedIn(world, cookie)).toBe(true)
    expect(fieldOf(await ada.call(END_OTHERS))).toBe(0)
  })

  it('gives the same answer for a session of another person as for an unknown one', async ({ world }) => {
    const [ada, bob] = [await world.signUp('Ada'), await world.signUp('Bob')]
    const [bobs] = fieldOf<Listed[]>(await bob.call(LIST))
    const foreign = await ada.call(END, { id: bobs?.id })
    const unknown = await ada.call(END, { id: 'never-was' })
    expect(foreign.errors.map(({ code, message }) => [code, message])).toEqual(
      unknown.errors.map(({ code, message }) => [code, message]),
    )
    expect(codesOf(foreign)).toEqual(['NOT_FOUND'])
    expect(await isSignedIn(world, bob.cookie)).toBe(true)
  })

  it('is refused to a key, and without a session', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const acme = await world.organization('Acme', { admin: ada })
    const key = world.asKey((await acme.generateKey()).secret)
    for (const [query, variables] of [[LIST], [END, { id: 'x' }], [END_OTHERS]] as const) {
      expect(codesOf(await key.call(query, variables))).toEqual(['FORBIDDEN'])
      expect(codesOf(await world.nobody().call(query, variables))).toEqual(['UNAUTHENTICATED'])
    }
  })
})
