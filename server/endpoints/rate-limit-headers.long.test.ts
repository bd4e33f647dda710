import { expect, onTestFinished } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { DAY } from '../lib/clock.ts'
import { mintSecret } from '../secrets/secret.ts'

/** A minute in which there are 60 requests. */
const it = inOwnWorld(() => startWorld({ env: { RATE_LIMIT: '1' }, tuning: { burstSeconds: 60 } }))

const ROLE = '{ viewer { role } }'
const GENERAL = '"requests_of_caller";q=60;w=60, "requests_of_organization";q=300;w=60'

const shownBy = ({ status, headers }: { status: number; headers: Headers }) => ({
  status,
  policy: headers.get('ratelimit-policy'),
  left: headers.get('ratelimit'),
})

/** The first one that is refused. */
async function untilRefused(world: World, secret: string) {
  for (let sent = 0; sent < 400; sent++) {
    const answer = await world.asKey(secret).call(ROLE)
    if (answer.status !== 200) return answer
  }
  throw new Error('Never refused.')
}

it('a response says which limits there are, and how much is left of the caller’s', async ({ world, acme }) => {
  const { secret } = await acme.generateKey()
  const shown = async (query = ROLE) => shownBy(await world.asKey(secret).call(query))

  expect(await shown()).toEqual({
    status: 200,
    policy: GENERAL,
    left: expect.stringMatching(/^"requests_of_caller";r=59;t=(60|59)$/),
  })
  expect((await shown()).left).toMatch(/^"requests_of_caller";r=58;/)
  const expensive = await shown('{ devices(first: 1) { totalCount } }')
  expect(expensive.left).toMatch(/^"requests_of_caller";r=55;/) // one for the request, two for its cost
})

it('a session has the same headers as a key', async ({ acme }) => {
  const [first, second] = [await acme.call(ROLE), await acme.call(ROLE)].map(shownBy)
  expect(first).toMatchObject({ status: 200, policy: GENERAL })
  const leftIn = (shown: typeof first) => Number(/^"requests_of_caller";r=(\d+);t=\d+$/.exec(shown?.left ?? '')?.[1])
  expect(leftIn(second)).toBe(leftIn(first) - 1)
})

it('429: nothing is left of the limit that refuses, until the time in Retry-After', async ({ world, acme }) => {
  const { secret } = await acme.generateKey()
  const refused = await untilRefused(world, secret)
  const after = refused.headers.get('retry-after')
  expect(shownBy(refused)).toEqual({ status: 429, policy: GENERAL, left: `"requests_of_caller";r=0;t=${after}` })
})

it('429 by the limit of the organization names that limit, for a key and for a person', async ({ world, acme }) => {
  let last = ''
  for (let keys = 0; keys < 5; keys++) {
    last = (await acme.generateKey()).secret
    for (let sent = 0; sent < 59; sent++) await world.asKey(last).call(ROLE)
  }
  for (const refused of [await acme.call(ROLE), await world.asKey(last).call(ROLE)]) {
    const after = refused.headers.get('retry-after')
    expect(shownBy(refused)).toEqual({
      status: 429,
      policy: GENERAL,
      left: `"requests_of_organization";r=0;t=${after}`,
    })
  }
})

it('limits of the key itself are listed, and shown when less is left of them', async ({ world, acme }) => {
  const { secret } = await acme.generateKey({ label: 'slow', requestsPerDay: 3, requestsPerSecond: 1000 })
  const own = '"requests_of_key";q=1000;w=1, "requests_of_key_a_day";q=3;w=86400'
  const untilMidnight = (DAY - (world.clock.now() % DAY)) / 1000
  for (const left of [2, 1, 0]) {
    expect(shownBy(await world.asKey(secret).call(ROLE))).toEqual({
      status: 200,
      policy: `${GENERAL}, ${own}`,
      left: `"requests_of_key_a_day";r=${left};t=${untilMidnight}`,
    })
  }
  expect(shownBy(await world.asKey(secret).call(ROLE))).toEqual({
    status: 429,
    policy: `${GENERAL}, ${own}`,
    left: `"requests_of_key_a_day";r=0;t=${untilMidnight}`,
  })
})

it('too many refused keys: 429 names that limit; a refusal before it says nothing of limits', async ({ world }) => {
  const refuse = async () => shownBy(await world.asKey(mintSecret('emp_')).call(ROLE))
  expect(await refuse()).toEqual({ status: 401, policy: null, left: null })
  for (let sent = 0; sent < 29; sent++) await refuse()
  expect(await refuse()).toEqual({
    status: 429,
    policy: '"refused_keys";q=30;w=60',
    left: expect.stringMatching(/^"refused_keys";r=0;t=\d+$/),
  })
})

it('RATE_LIMIT=off: only the limits of a key itself have headers', async () => {
  const world = await startWorld()
  onTestFinished(world.close)
  const acme = await world.organization('Acme', { admin: await world.signUp('Ada') })
  const none = { status: 200, policy: null, left: null }
  const plain = await acme.generateKey()
  expect(shownBy(await world.asKey(plain.secret).call(ROLE))).toEqual(none)
  expect(shownBy(await acme.call(ROLE))).toEqual(none)
  const own = await acme.generateKey({ label: 'own', requestsPerSecond: 50 })
  expect(shownBy(await world.asKey(own.secret).call(ROLE))).toEqual({
    status: 200,
    policy: '"requests_of_key";q=50;w=1',
    left: '"requests_of_key";r=49;t=1',
  })
})
