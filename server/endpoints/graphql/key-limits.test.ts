import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type World } from '../../../test/support/world/world.ts'
import { keyRules, type StoredRules, writeRules } from '../../caller/key-rules.ts'
import type { ApiKeyCaller } from '../../caller/verify-key.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { createRateLimits, type ShownLimits } from '../rate-limit.ts'

const ASK = '{ rateLimit { limit remaining } }'

/** The general limits are off here. */
const it = inOrganization(startWorld)

const call = ({ asKey }: World, { secret }: TestKey) => asKey(secret).call(ASK)

const callerWith = (keyId: string, rules: StoredRules): ApiKeyCaller => ({
  kind: 'API_KEY',
  keyId,
  label: 'ci',
  organizationId: 'acme',
  role: 'ADMIN',
  rules: keyRules(writeRules(rules)),
  calledFrom: { address: '127.0.0.1', origin: undefined },
})

describe('C10: the limits of one key', () => {
  it('apply with RATE_LIMIT=off, and the error says which one it is, and when to try again', async ({
    world,
    acme,
  }) => {
    const key = await acme.generateKey({ requestsPerDay: 2 })
    expect(fieldOf(await call(world, key))).toEqual({ limit: 2, remaining: 1 })
    expect(fieldOf(await call(world, key))).toEqual({ limit: 2, remaining: 0 })
    const { status, errors, headers } = await call(world, key)
    expect([status, errors[0]?.code]).toEqual([429, 'RATE_LIMITED'])
    expect(errors[0]?.message).toBe(
      'This API key has a limit of its own, 2 requests a day, and has reached it. Wait for the time in Retry-After, or ask an Admin for a higher one.',
    )
    const untilMidnight = DAY - (world.clock.now() % DAY)
    expect(headers.get('retry-after')).toBe(String(Math.ceil(untilMidnight / 1000)))
  })

  it('a day is one of UTC', async ({ world, acme }) => {
    const key = await acme.generateKey({ requestsPerDay: 1 })
    expect((await call(world, key)).status).toBe(200)
    expect((await call(world, key)).status).toBe(429)
    world.clock.advance(DAY - (world.clock.now() % DAY) - 1)
    expect((await call(world, key)).status).toBe(429)
    world.clock.advance(1)
    expect((await call(world, key)).status).toBe(200)
    world.clock.advance(HOUR)
    expect((await call(world, key)).status).toBe(429)
  })

  it('requests over the limit of a second do not count for the day, and are counted as refused', async ({
    world,
    acme,
  }) => {
    const key = await acme.generateKey({ requestsPerSecond: 1, requestsPerDay: 1000 })
    const busy = await startWorld({ beside: world })
    const answers = await Promise.all(Array.from({ length: 30 }, () => call(busy, key)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0) // how many seconds they take is up to the machine
    expect(refused[0]?.errors[0]?.message).toContain('1 request a second')
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(refused.map(() => '1'))
    await busy.close() // writes what was counted
    const counted = await world.database.read
      .selectFrom('apiKeyUsage')
      .select(['calls', 'errors'])
      .where('keyId', '=', key.id)
      .execute()
    expect(counted).toEqual([{ calls: 30 - refused.length, errors: refused.length }])
  })

  it('of a second and of a day hold together', async ({ world, acme }) => {
    const key = await acme.generateKey({ requestsPerSecond: 100, requestsPerDay: 2 })
    const answers = [await call(world, key), await call(world, key), await call(world, key)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  })

  it('hold at once when they change, and each key has its own', async ({ world, acme }) => {
    const [key, other] = [await acme.generateKey({ requestsPerDay: 1 }), await acme.generateKey({ requestsPerDay: 1 })]
    expect((await call(world, key)).status).toBe(200)
    expect((await call(world, key)).status).toBe(429)
    expect((await call(world, other)).status).toBe(200)
    const update = 'mutation ($id: ID!, $most: Int) { updateApiKey(id: $id, input: { requestsPerDay: $most }) { id } }'
    await acme.call(update, { id: key.id, most: 10 })
    expect((await call(world, key)).status).toBe(200)
    await acme.call(update, { id: key.id, most: null })
    expect((await call(world, key)).data).toEqual({ rateLimit: null })
  })

  it('beside the general limit, the one of which less is left is shown', async ({ world, acme }) => {
    const limited = await startWorld({ beside: world, env: { RATE_LIMIT: '10' } })
    const [few, many] = [await acme.generateKey({ requestsPerDay: 5 }), await acme.generateKey({ requestsPerDay: 500 })]
    expect(fieldOf(await call(limited, few))).toEqual({ limit: 5, remaining: 4 })
    expect(fieldOf(await call(limited, many))).toEqual({ limit: 20, remaining: 19 })
    await limited.close()
  })

  it('accept as many requests in a second as the key may make, and not one more', async () => {
    const caller = callerWith('key', { requestsPerSecond: 3 })
    const { countRequest } = createRateLimits({ perSecond: undefined }, Date.now, {})
    const count = async () => {
      const shown: ShownLimits = { policies: '', rateLimit: undefined }
      await countRequest(caller, shown)
      return shown.rateLimit?.remaining
    }
    const answers = await Promise.allSettled([1, 2, 3, 4].map(count)) // all in one moment
    const remaining = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'refused'))
    expect(remaining).toEqual([2, 1, 0, 'refused'])
  })

  it('of a day counts only what that of a second accepts', async () => {
    const { countRequest } = createRateLimits({ perSecond: undefined }, () => 12 * HOUR, {})
    const count = (rules: StoredRules) => countRequest(callerWith('key', rules), { policies: '', rateLimit: undefined })
    const fast = await Promise.allSettled([1, 2, 3].map(() => count({ requestsPerSecond: 1, requestsPerDay: 2 })))
    expect(fast.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    await count({ requestsPerDay: 2 })
    await expect(count({ requestsPerDay: 2 })).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })

  it('of a second are counted together with those of the key that it replaced', async () => {
    const keys = [
      callerWith('key', { requestsPerSecond: 1 }),
      callerWith('next', { requestsPerSecond: 1, countedAs: 'key' }),
    ]
    const { countRequest } = createRateLimits({ perSecond: undefined }, Date.now, {})
    const answers = await Promise.allSettled(
      keys.map((key) => countRequest(key, { policies: '', rateLimit: undefined })),
    )
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })
})
