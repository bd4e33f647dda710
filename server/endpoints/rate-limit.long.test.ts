import { expect, onTestFinished } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { type Answer, call } from '../../test/support/world/http.ts'
import { fieldOf } from '../../test/support/world/people.ts'
import { policyOfAdmin } from '../../test/support/world/policy.ts'
import { startWorld } from '../../test/support/world/world.ts'
import type { UserCaller } from '../caller/ctx.ts'
import type { Tuning } from '../caller/deps.ts'
import { mintSecret } from '../secrets/secret.ts'
import { createRateLimits } from './rate-limit.ts'

/** A minute in which there are 60 requests: long enough for them, also on a busy machine. */
const it = inOwnWorld(() => startWorld({ env: { RATE_LIMIT: '1' }, tuning: { burstSeconds: 60 } })).extend(
  'key',
  ({ acme }) => acme.generateKey(),
)

/** A world with another limit. */
async function start(env: Record<string, string>, tuning: Tuning = {}) {
  const world = await startWorld({ env, tuning })
  onTestFinished(world.close)
  const ada = await world.signUp('Ada')
  return { world, ada, acme: await world.organization('Acme', { admin: ada }) }
}

const ROLE = '{ viewer { role } }'
const SOMEBODY: UserCaller = {
  kind: 'USER',
  userId: 'somebody',
  sessionId: 'here',
  name: 'Somebody',
  email: 'somebody@example.com',
  support: false,
  organizationId: 'somewhere',
  role: 'MEMBER',
}
const statuses = async (count: number, ask: () => Promise<{ status: number }>) =>
  Promise.all(Array.from({ length: count }, async () => (await ask()).status))
const count = (all: number[], status: number) => all.filter((each) => each === status).length

it('a key has a burst of requests, then 429 with Retry-After; another key is not affected', async ({ world, acme }) => {
  const [busy, calm] = [await acme.generateKey(), await acme.generateKey()]
  const ask = (secret: string) => world.asKey(secret).call(ROLE)
  const answers = await statuses(70, () => ask(busy.secret))

  expect([count(answers, 200), count(answers, 429)]).toEqual([60, 10])
  const refused = await ask(busy.secret)
  expect(refused.errors).toMatchObject([{ code: 'RATE_LIMITED' }])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect((await ask(calm.secret)).status).toBe(200)
})

it('an organization has five times as many, for all its keys and people together; another is not affected', async ({
  world,
  ada,
  acme,
}) => {
  const other = await world.organization('Other', { admin: ada })
  const keys: string[] = []
  for (let i = 0; i < 6; i++) keys.push((await acme.generateKey()).secret)
  const elsewhere = await world.generateKey(ada, other)
  const ask = (secret: string) => world.asKey(secret).call(ROLE)
  const before = 9 // Ada has switched keys on, which takes 3 points, and made six
  const answers = (await Promise.all(keys.map((secret) => statuses(55, () => ask(secret))))).flat()

  expect([count(answers, 200), count(answers, 429)]).toEqual([300 - before, 330 - 300 + before])
  const refused = await ask(keys[0] ?? '')
  expect(refused.errors).toMatchObject([
    { code: 'RATE_LIMITED', message: expect.stringContaining('of this organization') },
  ])
  expect((await ask(elsewhere.secret)).status).toBe(200)
})

it('refused requests of a key take nothing from others of its organization', async ({ world, acme }) => {
  const [busy, calm] = [await acme.generateKey(), await acme.generateKey()]
  const ask = (secret: string) => world.asKey(secret).call(ROLE)
  await statuses(400, () => ask(busy.secret))
  expect(count(await statuses(60, () => ask(calm.secret)), 200)).toBe(60)
})

it('a person has one limit, however many sessions', async ({ world, ada }) => {
  const { email, password } = ada
  const again = await world.post('/auth/sign-in', { email, password })
  const calls = (cookie = '') => statuses(40, () => call(`${world.url}/portal/graphql`, { cookie }, ROLE))
  const answers = (await Promise.all([calls(ada.cookie), calls(again.cookie)])).flat()
  expect(count(answers, 200)).toBeLessThanOrEqual(60)
})

it('a key has a burst of twice its rate', async () => {
  const { world, acme } = await start({ RATE_LIMIT: '50' })
  const { secret } = await acme.generateKey()
  const left = () => world.asKey(secret).call('{ rateLimit { limit remaining } }')
  expect((await left()).data).toEqual({ rateLimit: { limit: 100, remaining: 99 } })
})

it('returns what is left, and null when limits are off', async ({ world, key }) => {
  const left = () =>
    world.asKey(key.secret).call('{ rateLimit { limit remaining cost resetAt } devices(first: 7) { data { id } } }')
  expect((await left()).data).toMatchObject({ rateLimit: { limit: 60, remaining: 59, cost: 9 } })
  expect((await left()).data).toMatchObject({ rateLimit: { remaining: 58 } })

  const off = await start({ RATE_LIMIT: 'off' })
  const free = await off.acme.generateKey()
  expect((await off.world.asKey(free.secret).call('{ rateLimit { limit } }')).data).toEqual({ rateLimit: null })
})

const left = (answer: Answer) => fieldOf<{ remaining: number }>(answer).remaining

it('an operation takes one point for its request, and one for each further 250 of cost', async ({ world, key }) => {
  const ask = (list: string) => world.asKey(key.secret).call(`{ rateLimit { remaining } ${list} }`)
  expect(left(await ask('devices { data { id } }'))).toBe(59)
  expect(left(await ask('devices(first: 500) { data { id } }'))).toBe(56) // 502
  expect(left(await ask('devices(first: 1) { totalCount }'))).toBe(53)
  expect(left(await ask('devices(first: 1) { totalCount }'))).toBe(50) // each time
})

it('a document takes a point for each 100 tokens, the first time', async ({ world, key }) => {
  const large = `{ rateLimit { remaining } viewer { ${'role '.repeat(30)} } ${'...q '.repeat(250)} } fragment q on Query { __typename }`
  const refused = await world.asKey(key.secret).call(large)
  expect(refused.errors).toMatchObject([{ code: 'QUERY_TOO_COMPLEX' }])
  const known = `{ rateLimit { remaining } viewer { ${Array.from({ length: 30 }, (_, i) => `a${i}: role`).join(' ')} user { ${'name email '.repeat(30)} invited } apiKey { ${'id label prefix '.repeat(30)} } } }`
  expect(left(await world.asKey(key.secret).call(known))).toBe(60 - 6 - 3) // the refused one took six
  expect(left(await world.asKey(key.secret).call(known))).toBe(60 - 6 - 3 - 1)
})

it('a body takes a point for each 4,096 characters, each time', async ({ world, key }) => {
  const ask = (length: number) =>
    world.asKey(key.secret).call('{ rateLimit { remaining } }', { unused: 'x'.repeat(length) })
  expect(left(await ask(4000))).toBe(59)
  expect(left(await ask(8192))).toBe(56)
  expect(left(await ask(8192))).toBe(53)
})

it('a caller with too few points for an operation gets 429 before it runs', async () => {
  const { world, acme } = await start({ RATE_LIMIT: '1' }, { burstSeconds: 10 })
  const { secret } = await acme.generateKey()
  const mutations = Array.from({ length: 20 }, (_, i) => `m${i}: createDevice(input: { name: "edge-${i}" }) { id }`)
  for (let i = 0; i < 8; i++) await world.asKey(secret).call(ROLE)
  const { status, headers, errors } = await world.asKey(secret).call(`mutation { ${mutations.join(' ')} }`)
  expect({ status, errors }).toMatchObject({ status: 429, errors: [{ code: 'RATE_LIMITED' }] })
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(await world.database.read.selectFrom('device').select('id').execute()).toEqual([])
})

it('with a full limit every permitted operation is accepted, however small the limit', async () => {
  for (const perSecond of [1, 2, 5]) {
    const { countRequest } = createRateLimits({ perSecond }, () => 0, {})
    const charge = await countRequest(SOMEBODY, { policies: '', rateLimit: undefined })
    await charge?.(64)
    await charge?.(20)
    expect((await charge?.(19))?.remaining).toBeGreaterThanOrEqual(0)
  }
})

it('RATE_LIMIT=off charges nothing', async () => {
  const { world, acme } = await start({ RATE_LIMIT: 'off' })
  const { secret } = await acme.generateKey()
  const dear = () => world.asKey(secret).call('{ devices(first: 500) { data { id } totalCount } }')
  expect(count(await statuses(100, dear), 200)).toBe(100)
})

it('30 refused keys a minute from one source, then 429; a valid key from there is still accepted, and a missing key does not count', async () => {
  const { world, acme } = await start({ RATE_LIMIT: '1000' })
  const { secret } = await acme.generateKey()
  expect(count(await statuses(40, () => world.nobody().call(ROLE)), 401)).toBe(40)

  const wrong = [...Array(20).fill('hunter2'), ...Array.from({ length: 20 }, () => mintSecret('emp_'))]
  const answers = await Promise.all(wrong.map(async (each: string) => (await world.asKey(each).call(ROLE)).status))

  expect([count(answers, 401), count(answers, 429)]).toEqual([30, 10])
  expect((await world.asKey(secret).call(ROLE)).status).toBe(200)
})

it('an expired key counts as a refused key of its source; one refused by its rules does not', async () => {
  const { world, ada, acme } = await start({ RATE_LIMIT: '1000' })
  const expired = await acme.generateKey({ expiresAt: new Date(world.clock.now() + 1).toISOString() })
  await policyOfAdmin(ada, acme).set({ allowedNetworks: ['10.0.0.0/8'] })
  const outside = await acme.generateKey()
  world.clock.advance(1)

  expect(count(await statuses(40, () => world.asKey(outside.secret).call(ROLE)), 403)).toBe(40)
  const answers = await statuses(40, () => world.asKey(expired.secret).call(ROLE))
  expect([count(answers, 401), count(answers, 429)]).toEqual([30, 10])
})

it('behind a trusted proxy, sources are counted by its headers, IPv6 by /64; other headers are ignored', async () => {
  const trusting = await start({ RATE_LIMIT: '1000', TRUST_PROXY: '127.0.0.1' })
  const from = (address: string, { world } = trusting) =>
    call(`${world.url}/graphql`, { 'api-secret': 'hunter2', 'x-forwarded-for': address }, ROLE)
  const spread = Array.from({ length: 40 }, (_, i) => from(`2001:db8:1:2::${i.toString(16)}`))
  expect(
    count(
      (await Promise.all(spread)).map(({ status }) => status),
      429,
    ),
  ).toBe(10)
  expect((await from('2001:db8:1:3::1')).status).toBe(401)

  const without = await start({ RATE_LIMIT: '1000' })
  const lies = Array.from({ length: 40 }, (_, i) => from(`192.0.2.${i}`, without))
  expect(
    count(
      (await Promise.all(lies)).map(({ status }) => status),
      429,
    ),
  ).toBe(10)
})

it('RATE_LIMIT=off also lifts the limit on refused keys', async () => {
  const { world } = await start({ RATE_LIMIT: 'off' })
  expect(count(await statuses(50, () => world.asKey('hunter2').call(ROLE)), 401)).toBe(50)
})

it('a caller who has used all points is accepted again after the time has passed', async () => {
  const { countRequest } = createRateLimits({ perSecond: 5, burstSeconds: 0.2 }, () => 0, {})
  const outcome = () =>
    countRequest(SOMEBODY, { policies: '', rateLimit: undefined }).then(
      () => 'counted',
      ({ code }) => code,
    )
  await expect.poll(outcome, { interval: 1 }).toBe('RATE_LIMITED')
  await expect.poll(outcome, { timeout: 8000 }).toBe('counted')
})
