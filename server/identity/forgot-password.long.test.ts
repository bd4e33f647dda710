import { describe, expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { passLimitTime } from '../../test/support/world/limit-time.ts'
import { BASE_URL, type MailWorld, startMailWorld, tokenIn } from '../../test/support/world/mail-world.ts'
import { eventsOf, isSignedIn, peopleAs, refusalOf } from '../../test/support/world/people.ts'
import { type Person, startWorld } from '../../test/support/world/world.ts'
import { forNoKeyUpdate } from '../db/locks.ts'
import { MINUTE } from '../lib/clock.ts'

const NEW = 'quite another passphrase'

const it = inOwnWorld(() => startMailWorld({ TRUST_PROXY: 'on' }))

const ask = (world: MailWorld, email: string, source = '192.0.2.1') =>
  world.post('/auth/forgot-password', { email }, { headers: { 'x-forwarded-for': source } })

/** Written after the answer, so it may take a moment. */
async function emailTo(world: MailWorld, email: string, number = 1) {
  await expect.poll(async () => (await world.emailsTo(email)).length).toBe(number)
  return (await world.emailsTo(email)).at(-1)
}

/** Emails with links; of those whose link a later one has ended, none is sent. */
const written = async (world: MailWorld) =>
  (await world.database.read.selectFrom('email').select('id').where('kind', '=', 'PASSWORD_RESET').execute()).length

const resets = async (world: MailWorld) =>
  (await world.database.read.selectFrom('passwordReset').select('id').execute()).length

describe('a forgotten password', () => {
  it('is reset through an email, whose link works once and is in no database', async ({ world, ada }) => {
    expect((await ask(world, ` ${ada.email.toUpperCase()}`)).status).toBe(200)
    await expect.poll(() => resets(world)).toBe(1)
    const queued = await world.storage.dump()
    const email = await emailTo(world, ada.email)
    const token = tokenIn(email?.text)
    expect(email?.text).toContain(`\n${BASE_URL}/reset-password#${token}\n`)
    for (const dump of [queued, await world.storage.dump()]) expect(dump).not.toContain(token)

    const reset = await world.post('/auth/reset-password', { token, password: NEW })
    expect(reset).toMatchObject({ status: 200, body: { user: { id: ada.userId } } })
    expect([await isSignedIn(world, ada.cookie), await isSignedIn(world, reset.cookie)]).toEqual([false, true])
    expect((await world.post('/auth/sign-in', { email: ada.email, password: NEW })).status).toBe(200)
    expect((await world.post('/auth/reset-password', { token, password: NEW })).status).toBe(404)
  })

  it('links to the configured URL, never to a host from a request', async ({ world, ada }) => {
    const beside = await startWorld({ beside: world, env: { SMTP_URL: world.smtp.url, PORT: '0', HOST: '127.0.0.1' } })
    const asked = await beside.post(
      '/auth/forgot-password',
      { email: ada.email },
      { headers: { host: 'evil.example' } },
    )
    await expect.poll(() => resets(world)).toBe(1)
    await beside.close()
    const email = await emailTo(world, ada.email)
    expect([asked.status, email?.text.match(/http:[^ ]*reset/)?.[0]]).toEqual([200, `${beside.url}/reset`])
  })

  it('the link expires after 30 minutes, and an older email is not sent', async ({ world, ada }) => {
    world.smtp.become('hangs up')
    await ask(world, ada.email)
    await expect.poll(() => resets(world)).toBe(1)
    await world.emailWorker.deliver()
    world.smtp.become('takes')
    world.clock.advance(30 * MINUTE)
    expect(await world.emailsTo(ada.email)).toEqual([])
  })

  it('is recorded in the audit log of the personal account, with the source of the request', async ({ world, ada }) => {
    await ask(world, ada.email, '192.0.2.77')
    await emailTo(world, ada.email)
    const [event] = eventsOf(await peopleAs(ada.call).audit())
    expect(event).toEqual({
      action: 'USER_RESET_LINK_CREATED',
      subject: 'Ada',
      details: 'asked for from 192.0.2.77',
      actor: { kind: 'SYSTEM', name: 'forgotten password' },
    })
  })

  it('a request changes neither the password nor the sessions', async ({ world, ada }) => {
    await ask(world, ada.email)
    await emailTo(world, ada.email)
    expect(await isSignedIn(world, ada.cookie)).toBe(true)
    expect((await world.post('/auth/sign-in', { email: ada.email, password: ada.password })).status).toBe(200)
  })
})

describe('the existence of an account is not revealed', () => {
  it('by the answer', async ({ world, ada }) => {
    const [known, unknown] = [await ask(world, ada.email), await ask(world, 'nobody@example.com')]
    const shown = ({ status, body, headers }: typeof known) => {
      const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers)
      return { status, body, rest }
    }
    expect(shown(known)).toEqual(shown(unknown))
    await emailTo(world, ada.email)
    expect(world.smtp.received).toHaveLength(1)
  })

  it('by the timing: the answer does not wait for a write', async ({ world, ada }) => {
    const letGo = await holdAda(world, ada)
    expect((await ask(world, ada.email)).status).toBe(200)
    expect(await resets(world)).toBe(0)
    await letGo()
    await emailTo(world, ada.email)
  })

  it('by the limit: 3 times for an address, then once in 20 minutes', async ({ world, ada }) => {
    for (const email of [ada.email, 'nobody@example.com']) {
      const statuses: number[] = []
      for (let i = 0; i < 4; i++) statuses.push((await ask(world, email, `192.0.2.${i}`)).status)
      expect(statuses).toEqual([200, 200, 200, 429])
    }
    const refused = await ask(world, ada.email, '192.0.2.9')
    expect(refusalOf(refused)).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    expect(refused.headers.get('retry-after')).toBe(String(20 * 60))
    await expect.poll(() => written(world)).toBe(3)
    passLimitTime(20 * MINUTE)
    expect([
      (await ask(world, ada.email, '192.0.2.9')).status,
      (await ask(world, ada.email, '192.0.2.9')).status,
    ]).toEqual([200, 429])
    await expect.poll(() => written(world)).toBe(4)
  })
})

it('one source can request 10 addresses, then one in 6 minutes; other sources are not affected', async ({ world }) => {
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) statuses.push((await ask(world, `person-${i}@example.com`)).status)
  expect(statuses).toEqual([...Array(10).fill(200), 429])
  expect((await ask(world, 'person-11@example.com', '192.0.2.2')).status).toBe(200)
  passLimitTime(6 * MINUTE)
  expect((await ask(world, 'person-12@example.com')).status).toBe(200)
})

it('an invalid address is refused, and not counted', async ({ world, ada }) => {
  for (let i = 0; i < 12; i++) {
    expect(refusalOf(await ask(world, 'nobody'))).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', field: 'email' })
  }
  expect((await ask(world, ada.email)).status).toBe(200)
})

it('the portal does not close while an email is being queued', async ({ world, ada }) => {
  const { storage } = world
  const beside = await startWorld({ beside: { storage }, env: { SMTP_URL: world.smtp.url, BASE_URL } })
  const letGo = await holdAda(world, ada)
  await beside.post('/auth/forgot-password', { email: ada.email })
  const closed = beside.close()
  await letGo()
  await closed
  expect(await resets(world)).toBe(1)
})

/** Nothing can be written about her until she is let go of. */
async function holdAda(world: MailWorld, ada: Person): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const holding = world.database.transaction(async (db) => {
    await forNoKeyUpdate(db, db.selectFrom('user').select('id').where('id', '=', ada.userId)).execute()
    held.resolve()
    await free.promise
  })
  await held.promise
  return () => {
    free.resolve()
    return holding
  }
}

it('without a mail server it says whom to ask', async () => {
  const plain = await startWorld()
  for (const email of ['ada@example.com', 'nobody@example.com']) {
    expect(refusalOf(await plain.post('/auth/forgot-password', { email }))).toEqual({
      status: 403,
      code: 'FORBIDDEN',
      message: 'This portal sends no email: ask its operator for a link to set a new password.',
    })
  }
  await plain.close()
})
