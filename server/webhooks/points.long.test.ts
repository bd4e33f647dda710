import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { fieldOf } from '../../test/support/world/people.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'
import { startWorld, type TestOrganization, type World } from '../../test/support/world/world.ts'

/** Ten minutes with 600 points. */
const it = inOwnWorld(() => startWorld({ env: { RATE_LIMIT: '1' }, tuning: { burstSeconds: 600 } }))

const CREATE_MANY =
  'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { device { id } } } }'

async function pointsLeft(world: World, secret: string): Promise<number> {
  const { headers } = await world.asKey(secret).call('{ viewer { role } }')
  return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
}

/** How many points a change of a description to `length` characters takes, with the question about what is left. */
async function pointsOfUpdate(world: World, acme: TestOrganization, length: number): Promise<number> {
  const { secret } = await acme.generateKey()
  const { id } = fieldOf<{ id: string }>(await acme.call('mutation { createDevice(input: { name: "a" }) { id } }'))
  for (let i = 0; i < 20; i++) await webhooksAs(acme.call).create()
  const { call } = world.asKey(secret)
  const left = () => pointsLeft(world, secret)
  const before = await left()
  const input = { description: 'ü'.repeat(length) }
  await call('mutation ($id: ID!, $input: UpdateDeviceInput!) { updateDevice(id: $id, input: $input) { id } }', {
    id,
    input,
  })
  return before - (await left())
}

it('a small change costs no more with 20 webhooks', async ({ world, acme }) => {
  expect(await pointsOfUpdate(world, acme, 10)).toBe(2)
})

it('a change costs what its deliveries store, if they are large', async ({ world, acme }) => {
  expect(await pointsOfUpdate(world, acme, 1000)).toBeGreaterThanOrEqual(3)
})

it('tags cost what their rows store', async ({ world, acme }) => {
  const { secret } = await acme.generateKey()
  const { call } = world.asKey(secret)
  const pointsOf = async (run: string, tags: string[]) => {
    const inputs = Array.from({ length: 100 }, (_, i) => ({ name: `${run}-${i}`, tags }))
    const before = await pointsLeft(world, secret)
    expect((await call(CREATE_MANY, { inputs })).errors).toEqual([])
    return before - (await pointsLeft(world, secret))
  }
  const text = 'one-tag-that-is-long'
  const one = await pointsOf('a', [text])
  const twenty = await pointsOf(
    'b',
    Array.from({ length: 20 }, (_, i) => `${i}`),
  )
  expect(twenty - one).toBeGreaterThan(10) // 1,900 rows of 50 bytes at least
})

it('a change costs as many points more as its events are deliveries, for 250 of them one, also as a dry run', async ({
  world,
  acme,
}) => {
  const { secret } = await acme.generateKey()
  const left = () => pointsLeft(world, secret)
  /** With the point of the question about what is left. */
  const pointsOf = async (run: string, extensions?: object) => {
    const before = await left()
    const inputs = Array.from({ length: 100 }, (_, i) => ({ name: `${run}-${i}` }))
    const request = { query: CREATE_MANY, variables: { inputs }, extensions }
    const { body } = await world.post('/graphql', request, { headers: { 'api-secret': secret } })
    expect(body).not.toHaveProperty('errors')
    return before - (await left())
  }
  const alone = await pointsOf('alone')
  for (let i = 0; i < 10; i++) await webhooksAs(acme.call).create()
  const { webhook } = await webhooksAs(acme.call).create()
  await webhooksAs(acme.call).update(webhook.id, { enabled: false })
  expect((await pointsOf('reported')) - alone).toBe(4)
  expect((await pointsOf('tried', { dryRun: true })) - alone).toBe(4)
})
