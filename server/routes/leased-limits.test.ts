import { expect, it, onTestFinished } from 'vitest'
import { inProcessParent } from '../../test/support/in-process-parent.ts'
import { refusalOf } from '../../test/support/people.ts'
import { askWith, refused, statuses, WHO, wrongPassword } from '../../test/support/two-portals.ts'
import { startWorld, type World } from '../../test/support/world.ts'
import { OF_ACCOUNT } from '../identity/login-backoff.ts'
import { DAY } from '../lib/clock.ts'

/** There are 60 requests in a minute, and a wrong password asks to wait for a minute and more: also on a busy machine. */
const SLOW = { burstSeconds: 60, signInWaitsMs: OF_ACCOUNT.waitsMs.map((ms) => ms * 60) }
const RATE_LIMIT = '1'

const LEFT = '{ rateLimit { limit remaining } }'

/** Two servers on one database that count together, and a key to both. The time of limits stands still. */
async function startTwo(env: Record<string, string>, options: { answerMs?: number } = {}) {
  const parent = inProcessParent(2, () => 10 * DAY, options)
  const first = await startWorld({ env, tuning: SLOW, leases: parent.leases[0] })
  const second = await startWorld({ env, tuning: SLOW, leases: parent.leases[1], beside: first })
  onTestFinished(async () => {
    await second.close()
    await first.close()
  })
  const ada = await first.signUp('Ada')
  const acme = await first.organization('Acme', { admin: ada })
  const { secret } = await first.generateKey(ada, acme)
  return { ...{ parent, first, second, ada, acme, secret }, both: [first, second] as const }
}

it('a key has one limit over all workers, and each knows what is left of it', async () => {
  const { both, first, second, secret } = await startTwo({ RATE_LIMIT })
  expect((await first.asKey(secret).call(LEFT)).data).toEqual({ rateLimit: { limit: 60, remaining: 59 } })
  expect((await second.asKey(secret).call(LEFT)).data).toEqual({ rateLimit: { limit: 60, remaining: 59 } }) // without what the first has spent of its lease
  expect(await statuses(both, 70, askWith(secret))).toEqual({ 200: 58, 429: 12 })
  for (const world of both) {
    const spent = await askWith(secret)(world)
    expect(spent.errors).toMatchObject([{ code: 'RATE_LIMITED' }])
    expect(spent.headers.get('retry-after')).toBe('60')
    expect(spent.headers.get('ratelimit')).toBe('"requests_of_caller";r=0;t=60')
  }
})

it('a key on one worker has the whole limit', async () => {
  const { first, second, secret } = await startTwo({ RATE_LIMIT })
  expect((await askWith(secret)(second)).status).toBe(200)
  expect(await statuses([first, first], 70, askWith(secret))).toEqual({ 200: 59, 429: 11 })
})

it('an organization has one limit over all workers', async () => {
  const { both, first, ada } = await startTwo({ RATE_LIMIT })
  const other = await first.organization('Other', { admin: ada })
  const before = 3 + 6 // keys were switched on, and six are generated
  const keys = []
  for (let i = 0; i < 6; i++) keys.push((await first.generateKey(ada, other)).secret)
  const answers = await Promise.all(keys.map((secret) => statuses(both, 56, askWith(secret))))
  expect(answers.reduce((sum, { 200: accepted = 0 }) => sum + accepted, 0)).toBe(300 - before)
})

it('C10: a key has its own limits over all workers, and a changed one holds at once', async () => {
  const { both, first, acme } = await startTwo({ RATE_LIMIT: 'off' })
  const { id, secret } = await acme.generateKey({ requestsPerDay: 10 })
  expect(await statuses(both, 16, askWith(secret))).toEqual({ 200: 10, 429: 6 })
  const update = 'mutation ($id: ID!, $most: Int) { updateApiKey(id: $id, input: { requestsPerDay: $most }) { id } }'
  await acme.call(update, { id, most: 15 })
  expect(await statuses(both, 16, askWith(secret))).toEqual({ 200: 5, 429: 11 })
  await acme.call(update, { id, most: 1000 })
  expect(await statuses(both, 4, askWith(secret))).toEqual({ 200: 4 })
  await acme.call(update, { id, most: 19 })
  expect(await statuses(both, 4, askWith(secret))).toEqual({ 429: 4 })
  const { secret: busy } = await first.generateKey(acme.admin, acme, { requestsPerSecond: 7 })
  expect(await statuses(both, 16, askWith(busy))).toEqual({ 200: 7, 429: 9 })
})

it('a session has one limit over all workers', async () => {
  const { both, first } = await startTwo({ RATE_LIMIT })
  const bob = await first.signUp('Bob') // which takes one
  const asBob = (world: World) => world.post('/portal/graphql', { query: WHO }, { cookie: bob.cookie })
  expect(await statuses(both, 70, asBob)).toEqual({ 200: 59, 429: 11 })
})

it('30 refused keys a minute from one source over all workers; a valid key from there is still accepted', async () => {
  const { both, secret } = await startTwo({ RATE_LIMIT: '1000' })
  expect(await statuses(both, 40, refused)).toEqual({ 401: 30, 429: 10 })
  expect(await statuses(both, 2, askWith(secret))).toEqual({ 200: 2 })
})

it('600 requests a minute from one source to /auth/… over all workers', async () => {
  const { both } = await startTwo({})
  const signOut = (world: World) => world.post('/auth/sign-out', {})
  const before = 1 // Ada has signed up
  expect(await statuses(both, 640, signOut)).toEqual({ 200: 600 - before, 429: 40 + before })
})

it('five password attempts over all workers, also with RATE_LIMIT=off; a right one resets them', async () => {
  const { both, first, second, ada } = await startTwo({ RATE_LIMIT: 'off' })
  const right = (world: World) => world.post('/auth/sign-in', { email: ada.email, password: ada.password })
  expect(await statuses(both, 4, wrongPassword(ada.email))).toEqual({ 401: 4 })
  expect((await right(first)).status).toBe(200)
  expect(await statuses(both, 12, wrongPassword(ada.email))).toEqual({ 401: 5, 429: 7 })
  const early = await right(second)
  expect(refusalOf(early)?.code).toBe('RATE_LIMITED')
  expect(early.headers.get('retry-after')).toBe('60')
})

it('the parent is asked for a lease, not for a call', async () => {
  const { parent, both, secret } = await startTwo({ RATE_LIMIT: '1000' }) // 60,000 in a minute
  const before = parent.counts.asked
  expect(await statuses(both, 500, askWith(secret))).toEqual({ 200: 500 })
  expect(parent.counts.asked - before).toBeLessThanOrEqual(4) // the first call of each worker, for key and organization
  expect(parent.counts.recalled).toBe(0)
})

it('while the parent does not answer, each worker has its share of the limit, and counts attempts alone', async () => {
  const { parent, both, secret } = await startTwo({ RATE_LIMIT }, { answerMs: 20 })
  parent.fallSilent()
  expect(await statuses(both, 70, askWith(secret))).toEqual({ 200: 60, 429: 10 })
  expect(await statuses(both, 40, refused)).toEqual({ 401: 30, 429: 10 })
})
