import { expect, it, onTestFinished } from 'vitest'
import { inProcessParent } from '../../../test/support/world/in-process-parent.ts'
import { fieldOf, refusalOf } from '../../../test/support/world/people.ts'
import { askWith, refused, statuses, WHO, wrongPassword } from '../../../test/support/world/two-portals.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'

/** There are 60 requests in a minute: long enough for them, also on a busy machine. */
const SLOW = { burstSeconds: 60 }
const RATE_LIMIT = '1'
/** What one of two workers takes of it in advance. */
const IN_ADVANCE = 3

const LEFT = '{ rateLimit { limit remaining } }'

/** Two servers on one database that count together, as two workers do, and a key to both. */
async function startTwo(env: Record<string, string>) {
  const parent = inProcessParent(2)
  const { parentCounts } = parent
  const first = await startWorld({ env, tuning: SLOW, parentCounts })
  const second = await startWorld({ env, tuning: SLOW, parentCounts, beside: first })
  onTestFinished(async () => {
    await second.close()
    await first.close()
  })
  const ada = await first.signUp('Ada')
  const acme = await first.organization('Acme', { admin: ada })
  const { secret } = await first.generateKey(ada, acme)
  return { ...{ parent, first, second, ada, acme, secret }, both: [first, second] as const }
}

it('a key has one limit over all workers, and each knows what is left but for what the other has in advance', async () => {
  const { both, first, second, secret } = await startTwo({ RATE_LIMIT })
  const left = async (world: World) => fieldOf<{ remaining: number }>(await world.asKey(secret).call(LEFT)).remaining
  expect(await left(first)).toBe(59)
  expect(await left(second)).toBe(58 - (IN_ADVANCE - 1))
  expect(await statuses(both, 70, askWith(secret))).toEqual({ 200: 58, 429: 12 })
  for (const world of both) {
    const spent = await askWith(secret)(world)
    expect(spent.errors).toMatchObject([{ code: 'RATE_LIMITED' }])
    const after = spent.headers.get('retry-after')
    expect(after).toMatch(/^[1-6]?[0-9]$/)
    expect(spent.headers.get('ratelimit')).toBe(`"requests_of_caller";r=0;t=${after}`)
  }
})

it('a key on one worker has the whole limit, but for what another has in advance', async () => {
  const { first, second, secret } = await startTwo({ RATE_LIMIT })
  expect((await askWith(secret)(second)).status).toBe(200)
  const accepted = 60 - IN_ADVANCE
  expect(await statuses([first, first], 70, askWith(secret))).toEqual({ 200: accepted, 429: 70 - accepted })
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
  const { both, acme } = await startTwo({ RATE_LIMIT: 'off' })
  const { id, secret } = await acme.generateKey({ requestsPerDay: 10 })
  expect(await statuses(both, 16, askWith(secret))).toEqual({ 200: 10, 429: 6 })
  const update = 'mutation ($id: ID!, $most: Int) { updateApiKey(id: $id, input: { requestsPerDay: $most }) { id } }'
  await acme.call(update, { id, most: 30 })
  expect(await statuses(both, 14, askWith(secret))).toEqual({ 200: 14 }) // the refused ones may have counted
  await acme.call(update, { id, most: 20 })
  expect(await statuses(both, 4, askWith(secret))).toEqual({ 429: 4 })
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
  expect(early.headers.get('retry-after')).toMatch(/^[1-6]?[0-9]$/)
})

it('the parent is asked for portions, not for each call', async () => {
  const { parent, both, secret } = await startTwo({ RATE_LIMIT: '1000' }) // 60,000 in a minute
  const before = parent.counts.asked
  expect(await statuses(both, 500, askWith(secret))).toEqual({ 200: 500 })
  expect(parent.counts.asked - before).toBeLessThanOrEqual(24) // 50 calls each, for key and organization
})

it('while the parent does not answer, each worker counts for itself', async () => {
  const { parent, both, ada, secret } = await startTwo({ RATE_LIMIT })
  parent.fallSilent()
  expect(await statuses(both, 140, askWith(secret))).toEqual({ 200: 120, 429: 20 })
  expect(await statuses(both, 80, refused)).toEqual({ 401: 60, 429: 20 })
  expect(await statuses(both, 24, wrongPassword(ada.email))).toEqual({ 401: 10, 429: 14 })
  expect(parent.counts.silences).toBeGreaterThan(0)
})
