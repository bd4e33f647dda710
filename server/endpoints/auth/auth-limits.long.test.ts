import { expect } from 'vitest'
import { inOwnWorld } from '../../../test/support/world/fixtures.ts'
import { passLimitTime } from '../../../test/support/world/limit-time.ts'
import { refusalOf } from '../../../test/support/world/people.ts'
import { PASSWORD, startWorld, type World } from '../../../test/support/world/world.ts'
import { SIGN_UPS } from '../../identity/backoff.ts'
import { MINUTE } from '../../lib/clock.ts'

/* With RATE_LIMIT=off, as every world has it: these limits are not lifted by it. */

const it = inOwnWorld(() =>
  startWorld({
    env: { TRUST_PROXY: 'on', RATE_LIMIT: 'off' },
    tuning: { signUpWaitsMs: SIGN_UPS.waitsMs },
  }),
)

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
let people = 0
const signUp = (world: World, address: string) =>
  world.post('/auth/sign-up', { email: `p${++people}@example.com`, name: 'P', password: PASSWORD }, from(address))

it('20 accounts can be created from one source, IPv6 by /64, then one every 3 minutes; others are not affected', async ({
  world,
}) => {
  for (let i = 0; i < 20; i++) expect((await signUp(world, `2001:db8:0:1::${i + 1}`)).status).toBe(200)
  const refused = await signUp(world, '2001:db8:0:1::ffff')
  expect(refusalOf(refused)).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  expect(refused.headers.get('retry-after')).toBe('180')
  expect((await signUp(world, '2001:db8:0:2::1')).status).toBe(200)
  passLimitTime(3 * MINUTE)
  expect((await signUp(world, '2001:db8:0:1::1')).status).toBe(200)
  expect((await signUp(world, '2001:db8:0:1::1')).status).toBe(429)
})

it('of 400 addresses tried from one source, 50 passwords are checked, and another source signs in', async ({
  world,
}) => {
  await signUp(world, '198.51.100.1')
  const tries = Array.from({ length: 400 }, (_, i) =>
    world.post('/auth/sign-in', { email: `nobody-${i}@example.com`, password: 'wrong' }, from('203.0.113.7')),
  )
  const email = `p${people}@example.com`
  const bystander = world.post('/auth/sign-in', { email, password: PASSWORD }, from('198.51.100.1'))
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(50)
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  expect((await bystander).status).toBe(200)
})
