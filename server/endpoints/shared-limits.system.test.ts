import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import {
  describeOnOwnValkey,
  describeOnValkey,
  someValkey,
  startValkey,
} from '../../test/support/process/valkey-server.ts'
import { refusalOf } from '../../test/support/world/people.ts'
import { askWith, refused, refusedFrom, statuses, WHO, wrongPassword } from '../../test/support/world/two-portals.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import type { Tuning } from '../caller/deps.ts'
import { SECOND } from '../lib/clock.ts'

/**
 * Real time counts here. On a busy machine much of it can pass between two calls that belong together, so there are 60
 * requests in a minute, and Valkey may take its time.
 */
const RATE_LIMIT = '1'
const SLOW: Tuning = {
  burstSeconds: 60,
  valkeyTimeouts: { answerMs: 2 * SECOND },
}

const LEFT = '{ rateLimit { limit remaining resetAt } }'

/** Two servers on one database, and a key to both. */
async function startTwo(env: Record<string, string>) {
  const first = await startWorld({ env, tuning: SLOW })
  const second = await startWorld({ env, tuning: SLOW, beside: first })
  onTestFinished(async () => {
    await second.close()
    await first.close()
  })
  const ada = await first.signUp('Ada')
  const acme = await first.organization('Acme', { admin: ada })
  const [key, another] = [await first.generateKey(ada, acme), await first.generateKey(ada, acme)]
  return { first, second, both: [first, second] as const, ada, secret: key.secret, another: another.secret }
}

describeOnValkey('limits on one Valkey', () => {
  let its: Awaited<ReturnType<typeof someValkey>>
  beforeAll(async () => {
    its = await someValkey(1)
  })
  beforeEach(() => its.ask('FLUSHDB'))
  afterAll(() => its.close())

  it('a key has one limit over all processes, and each returns what is left of it', async () => {
    const { both, first, second, secret } = await startTwo({ RATE_LIMIT, VALKEY_URL: its.url })
    expect((await first.asKey(secret).call(LEFT)).data).toMatchObject({ rateLimit: { limit: 60, remaining: 59 } })
    const { data } = await second.asKey(secret).call(LEFT)
    expect(data).toMatchObject({ rateLimit: { limit: 60, remaining: 58 } })
    const { resetAt } = (data as { rateLimit: { resetAt: string } }).rateLimit // as the query asks for it
    expect(Date.parse(resetAt) - second.clock.now()).toBeGreaterThan(0)
    expect(Date.parse(resetAt) - second.clock.now()).toBeLessThanOrEqual(60_000)

    expect(await statuses(both, 70, askWith(secret))).toEqual({ 200: 58, 429: 12 })
    for (const world of both) {
      const spent = await askWith(secret)(world)
      expect(spent.errors).toMatchObject([{ code: 'RATE_LIMITED' }])
      expect(spent.headers.get('retry-after')).toMatch(/^[1-6]?[0-9]$/)
    }
  })

  it('C10: a key has its own limit of a day over all processes', async () => {
    const { both, first, ada } = await startTwo({ VALKEY_URL: its.url, RATE_LIMIT: 'off' })
    const acme = await first.organization('Limited', { admin: ada })
    const { secret } = await acme.generateKey({ requestsPerDay: 10 })
    expect(await statuses(both, 16, askWith(secret))).toEqual({ 200: 10, 429: 6 })
  })

  it('a session has one limit over all processes', async () => {
    const { both, ada } = await startTwo({ RATE_LIMIT, VALKEY_URL: its.url })
    await its.ask('FLUSHDB') // what it took to set this up
    const asAda = (world: World) => world.post('/portal/graphql', { query: WHO }, { cookie: ada.cookie })
    expect(await statuses(both, 70, asAda)).toEqual({ 200: 60, 429: 10 })
  })

  it('30 refused keys a minute from one source over all processes; a valid key from there is still accepted', async () => {
    const { both, secret } = await startTwo({ RATE_LIMIT: '1000', VALKEY_URL: its.url })
    expect(await statuses(both, 40, refused)).toEqual({ 401: 30, 429: 10 })
    expect(await statuses(both, 2, askWith(secret))).toEqual({ 200: 2 })
  })

  it('five password attempts over all processes, also with RATE_LIMIT=off; a right one resets them', async () => {
    const { both, first, second, ada } = await startTwo({ VALKEY_URL: its.url })
    expect(await statuses(both, 12, wrongPassword(ada.email))).toEqual({ 401: 5, 429: 7 })
    const early = await wrongPassword(ada.email)(second)
    expect(refusalOf(early)?.code).toBe('RATE_LIMITED')
    expect(early.headers.get('retry-after')).toMatch(/^[1-9]\d*$/) // any of the twelve calls may begin the wait

    const [name = ''] = (await its.ask('KEYS', 'portal:count:sign-in:*-wait')) as string[] // what KEYS answers
    await its.ask('DEL', name) // as when the time has passed
    const right = await first.post('/auth/sign-in', { email: ada.email, password: ada.password })
    expect(right.status).toBe(200)
    expect(await statuses(both, 12, wrongPassword(ada.email))).toEqual({ 401: 5, 429: 7 })
  })

  it('stores nothing for long, and nothing that identifies a person or an address', async () => {
    const { both, ada, secret } = await startTwo({ RATE_LIMIT: '1000', VALKEY_URL: its.url })
    await statuses(both, 2, askWith(secret))
    await statuses(both, 2, refused)
    await statuses(both, 2, wrongPassword(ada.email))
    const names = (await its.ask('KEYS', '*')) as string[] // what KEYS answers
    const kinds = names.map((name) => /^portal:(?:count:)?[\w-]+/.exec(name)?.[0])
    expect(new Set([...kinds, 'portal:probe'])).toEqual(
      new Set([
        'portal:count:auth',
        'portal:probe',
        'portal:count:refusals',
        'portal:count:requests',
        'portal:count:requests-of-organization',
        'portal:count:sign-in',
        'portal:count:sign-in-from',
        'portal:count:sign-up',
      ]),
    )
    expect(names.join(' ')).not.toMatch(/127\.0\.0\.1|example\.com|ada|emp_|ems_/i)
    const ends = await Promise.all(names.map((name) => its.ask('PTTL', name)))
    for (const ms of ends) expect(ms).toSatisfy((left: number) => (left > 0 && left <= 86_400_000) || left === -2)
  })
})

it('C10: without Valkey each process counts the day of a key for itself', async () => {
  const { both, first, ada } = await startTwo({ RATE_LIMIT: 'off' })
  const acme = await first.organization('Limited', { admin: ada })
  const { secret } = await acme.generateKey({ requestsPerDay: 5 })
  expect(await statuses(both, 16, askWith(secret))).toEqual({ 200: 10, 429: 6 })
})

it('without Valkey each process has its own limits', async () => {
  const { both, ada, secret } = await startTwo({ RATE_LIMIT })
  expect(await statuses(both, 140, askWith(secret))).toEqual({ 200: 120, 429: 20 })
  expect(await statuses(both, 80, refused)).toEqual({ 401: 60, 429: 20 })
  expect(await statuses(both, 24, wrongPassword(ada.email))).toEqual({ 401: 10, 429: 14 })
})

describeOnOwnValkey('limits when Valkey goes away', () => {
  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    '%s: each process continues alone, and then they share limits again',
    async (how) => {
      const its = await startValkey()
      onTestFinished(its.close)
      const { both, ada, secret, another } = await startTwo({ RATE_LIMIT, VALKEY_URL: its.url, TRUST_PROXY: 'on' })
      expect(await statuses(both, 70, askWith(secret))).toEqual({ 200: 60, 429: 10 })

      its.send(how)
      expect(await statuses(both, 80, refused)).toEqual({ 401: 60, 429: 20 })
      expect(await statuses(both, 24, wrongPassword(ada.email))).toEqual({ 401: 10, 429: 14 })
      expect(await statuses(both, 140, askWith(another))).toEqual({ 200: 120, 429: 20 })

      await its.kill()
      await its.start()
      for (const world of both) {
        await expect.poll(() => world.logged().at(-1), { timeout: 8000 }).toContain('Valkey answers')
      }
      expect(await statuses(both, 4, refused)).toEqual({ 429: 4 }) // each was told to wait for the rest of its minute
      expect(await statuses(both, 40, refusedFrom('192.0.2.1'))).toEqual({ 401: 30, 429: 10 })
      expect(await statuses(both, 12, wrongPassword(ada.email))).toEqual({ 401: 5, 429: 7 })
    },
  )
})
