import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { passLimitTime } from '../../test/support/world/limit-time.ts'
import { eventsOf, isSignedIn, peopleAs, refusalOf } from '../../test/support/world/people.ts'
import { PASSWORD, startWorld, type World } from '../../test/support/world/world.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { createPasswordReset } from './password-reset.ts'

const NEW = 'quite another passphrase'

const it = inWorld(startWorld)

const change = (world: World, cookie: string | undefined, password: string, newPassword: string) =>
  world.post('/auth/change-password', { password, newPassword }, cookie ? { cookie } : {})

const signIn = (world: World, email: string, password: string) => world.post('/auth/sign-in', { email, password })

describe('changing the password', () => {
  it('replaces the old password, revokes every session and starts a new one', async ({ world }) => {
    const [ada, bob] = [await world.signUp('Ada'), await world.signUp('Bob')]
    const other = await signIn(world, ada.email, PASSWORD)
    const answer = await change(world, ada.cookie, PASSWORD, NEW)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ user: { id: ada.userId }, organization: { slug: ada.personalSlug } })
    const alive = await Promise.all(
      [ada.cookie, other.cookie, answer.cookie, bob.cookie].map((c) => isSignedIn(world, c)),
    )
    expect(alive).toEqual([false, false, true, true])
    expect((await signIn(world, ada.email, PASSWORD)).status).toBe(401)
    expect((await signIn(world, ada.email, NEW)).status).toBe(200)
  })

  it('invalidates a reset link, and is recorded in the audit log without a secret', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const reset = await createPasswordReset(world.database, world.clock.now(), ada.email)
    world.clock.advance(SECOND)
    const { cookie = '' } = await change(world, ada.cookie, PASSWORD, NEW)
    const answer = await world.post('/auth/reset-password', { token: reset?.token, password: NEW })
    expect(refusalOf(answer)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    const { body } = await world.post(
      '/portal/graphql',
      { query: '{ auditEvents { data { action subject details actor { kind name } } } }' },
      { cookie },
    )
    const text = JSON.stringify(body)
    expect(text).toContain('"action":"USER_PASSWORD_CHANGED","subject":"Ada"')
    for (const secret of [PASSWORD, NEW, reset?.token ?? '', 'argon2']) expect(text).not.toContain(secret)
  })

  it('needs the current password, and guessing it is slowed down', async ({ world }) => {
    const ada = await world.signUp('Ada')
    for (let i = 0; i < 5; i++) {
      const answer = await change(world, ada.cookie, 'not the passphrase', NEW)
      expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', field: 'password' })
      expect(answer.cookie).toBeUndefined()
    }
    expect(refusalOf(await change(world, ada.cookie, PASSWORD, NEW))).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
    })
    expect(await isSignedIn(world, ada.cookie)).toBe(true)
    passLimitTime(MINUTE)
    expect((await signIn(world, ada.email, PASSWORD)).status).toBe(200)
  })

  it('needs a session and a valid new password', async ({ world }) => {
    const ada = await world.signUp('Ada')
    expect(refusalOf(await change(world, undefined, PASSWORD, NEW))).toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
    })
    for (const bad of ['short', 'passwordpassword']) {
      expect(refusalOf(await change(world, ada.cookie, PASSWORD, bad))).toMatchObject({
        status: 400,
        field: 'newPassword',
      })
    }
    expect(eventsOf(await peopleAs(ada.call).audit()).map(({ action }) => action)).not.toContain(
      'USER_PASSWORD_CHANGED',
    )
  })
})
