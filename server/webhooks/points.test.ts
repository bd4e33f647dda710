import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/fixtures.ts'
import { webhooksAs } from '../../test/support/webhooks.ts'
import { startWorld } from '../../test/support/world.ts'

/** Ten minutes with 600 points. */
const it = inOwnWorld(() => startWorld({ env: { RATE_LIMIT: '1' }, tuning: { burstSeconds: 600 } }))

const CREATE_MANY =
  'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { device { id } } } }'

it('a change costs as many points more as its events are deliveries, for 250 of them one, but not as a dry run', async ({
  world,
  acme,
}) => {
  const { secret } = await acme.generateKey()
  const left = async () => {
    const { headers } = await world.asKey(secret).call('{ viewer { role } }')
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
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
  expect((await pointsOf('tried', { dryRun: true })) - alone).toBe(0)
})
