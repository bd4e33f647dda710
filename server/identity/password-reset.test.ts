import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { isSignedIn, refusalOf } from '../../test/support/world/people.ts'
import { CHEAPEST, PASSWORD, startWorld, type World } from '../../test/support/world/world.ts'
import { MINUTE } from '../lib/clock.ts'
import { mintSecret } from '../secrets/secret.ts'
import { createPasswords } from './password.ts'
import { createPasswordReset, resetPassword } from './password-reset.ts'
import { createThrottle } from './throttle.ts'

const NEW = 'quite another passphrase'
const DEAD = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'This link has been used, has expired or never existed. Ask for a new one.',
}

const it = inWorld(startWorld)

const reset = (world: World, token: string | undefined, password = NEW) =>
  world.post('/auth/reset-password', { token, password })

const linkFor = async (world: World, email: string) =>
  (await createPasswordReset(world.database, world.clock.now(), email))?.token ?? ''

describe('a reset link', () => {
  it('sets a new password, revokes every session and signs in', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const answer = await reset(world, await linkFor(world, ` ${ada.email.toUpperCase()}`))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ user: { id: ada.userId, email: ada.email } })
    expect(await isSignedIn(world, ada.cookie)).toBe(false)
    expect(await isSignedIn(world, answer.cookie)).toBe(true)
    const statuses = [PASSWORD, NEW].map(async (password) => {
      const { status } = await world.post('/auth/sign-in', { email: ada.email, password })
      return status
    })
    expect(await Promise.all(statuses)).toEqual([401, 200])
  })

  it('revokes sessions in all places, and returns how many keys of the personal account stay active', async ({
    world,
  }) => {
    const ada = await world.signUp('Ada')
    const elsewhere = await world.post('/auth/sign-in', { email: ada.email, password: PASSWORD })
    await ada.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
    const { secret } = await world.generateKey(ada, { slug: ada.personalSlug })
    await world.generateKey(ada, { slug: ada.personalSlug })
    const answer = await reset(world, await linkFor(world, ada.email))
    expect(answer.body).toMatchObject({ apiKeyCount: 2 })
    const sessions = [ada.cookie, elsewhere.cookie, answer.cookie].map((cookie) => isSignedIn(world, cookie))
    expect(await Promise.all(sessions)).toEqual([false, false, true])
    expect((await world.asKey(secret).call('{ viewer { role } }')).errors).toEqual([])
  })

  it('works once, also for two at the same time', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const token = await linkFor(world, ada.email)
    const answers = await Promise.all([reset(world, token), reset(world, token, 'the second passphrase')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(refusalOf(await reset(world, token))).toEqual(DEAD)
  })

  it('works for 30 minutes', async ({ world }) => {
    const [ada, bob] = [await world.signUp('Ada'), await world.signUp('Bob')]
    const [first, second] = [await linkFor(world, ada.email), await linkFor(world, bob.email)]
    world.clock.advance(30 * MINUTE - 1)
    expect((await reset(world, first)).status).toBe(200)
    world.clock.advance(1)
    expect(refusalOf(await reset(world, second))).toEqual(DEAD)
  })

  it('that expires while the new password is hashed is refused', async ({ world }) => {
    const { database, clock } = world
    const ada = await world.signUp('Ada')
    const token = await linkFor(world, ada.email)
    const later: typeof database = {
      ...database,
      transaction: (work) => {
        clock.advance(30 * MINUTE)
        return database.transaction(work)
      },
    }
    const passwords = createPasswords({ cost: CHEAPEST })
    const visit = {
      database: later,
      now: clock.now,
      throttle: createThrottle(),
      passwords,
      address: '::1',
      userAgent: '',
    }
    await expect(resetPassword(visit, { token, password: NEW })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('invalidates the earlier one of the same person, and no other', async ({ world }) => {
    const [ada, bob] = [await world.signUp('Ada'), await world.signUp('Bob')]
    const [old, bobs] = [await linkFor(world, ada.email), await linkFor(world, bob.email)]
    const fresh = await linkFor(world, ada.email)
    expect(refusalOf(await reset(world, old))).toEqual(DEAD)
    expect((await reset(world, fresh)).status).toBe(200)
    expect((await reset(world, bobs)).status).toBe(200)
  })

  it('gives the same answer for used, expired, mistyped and unknown', async ({ world }) => {
    for (const token of ['', 'x', mintSecret('emr_'), mintSecret('emi_'), `${mintSecret('emr_')}x`]) {
      expect(refusalOf(await reset(world, token))).toEqual(DEAD)
    }
  })

  it('is not used up by a refused password', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const token = await linkFor(world, ada.email)
    expect(refusalOf(await reset(world, token, 'short'))).toMatchObject({ status: 400, field: 'password' })
    expect((await reset(world, token)).status).toBe(200)
  })

  it('is not created for an unknown address, and only its hash is stored', async ({ world }) => {
    expect(await createPasswordReset(world.database, world.clock.now(), 'nobody@example.com')).toBeUndefined()
    const ada = await world.signUp('Ada')
    const token = await linkFor(world, ada.email)
    const rows = await world.database.read
      .selectFrom('passwordReset')
      .selectAll()
      .where('userId', '=', ada.userId)
      .execute()
    expect(rows).toHaveLength(1)
    expect(Buffer.from(rows[0]?.tokenHash ?? []).toString()).not.toContain(token.slice(4, 20))
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it('is recorded in the audit log of the personal account', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const { cookie = '' } = await reset(world, await linkFor(world, ada.email))
    const { body } = await world.post(
      '/portal/graphql',
      { query: '{ auditEvents { data { action actor { name } } } }' },
      { cookie },
    )
    expect(JSON.stringify(body)).toContain('{"action":"USER_PASSWORD_RESET","actor":{"name":"Ada"}}')
  })
})
