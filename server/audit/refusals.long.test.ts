import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { call } from '../../test/support/world/http.ts'
import { eventsOf } from '../../test/support/world/people.ts'
import { policyOfAdmin } from '../../test/support/world/policy.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../test/support/world/world.ts'
import { HOUR } from '../lib/clock.ts'
import { REFUSALS_OF_A_CALLER_AN_HOUR } from './refusals.ts'

const it = inOrganization(() => startWorld({ env: { TRUST_PROXY: 'on' }, tuning: { usageFlushMs: 10 } })).extend(
  'key',
  async ({ ada, acme }) => {
    const key = await acme.generateKey()
    await policyOfAdmin(ada, acme).set({ allowedNetworks: ['10.0.0.0/8'] })
    return key
  },
)

const callFrom = (world: World, key: TestKey, address: string) =>
  call(`${world.url}/graphql`, { 'api-secret': key.secret, 'x-forwarded-for': address }, '{ viewer { role } }')

const refusals = async (acme: TestOrganization, action = 'API_KEY_REFUSED') => {
  const query = `{ auditEvents(first: 100, filter: { action: ${action} }) { data { subject details actor { kind name } } } }`
  return eventsOf(await acme.call(query))
}

it('a key that is refused by its rules or its expiration is in the audit log, with code and source', async ({
  world,
  acme,
  key,
}) => {
  for (let i = 0; i < 5; i++) await callFrom(world, key, '192.0.2.1')
  await expect.poll(() => refusals(acme)).toHaveLength(1)
  await world.database.transaction((db) =>
    db.updateTable('apiKey').set({ expiresAt: world.clock.now() }).where('id', '=', key.id).execute(),
  )
  await callFrom(world, key, '10.0.0.1')
  await expect.poll(() => refusals(acme)).toHaveLength(2)
  const actor = { kind: 'API_KEY', name: 'ci' }
  expect(await refusals(acme)).toEqual([
    {
      subject: 'ci',
      actor,
      details: `API_KEY_EXPIRED from 10.0.0.1: This API key has expired; key ${key.id}`,
    },
    {
      subject: 'ci',
      actor,
      details: `FORBIDDEN from 192.0.2.1: This API key is not accepted from this network; key ${key.id}`,
    },
  ])
})

it('refusals cannot fill the audit log: one an hour for each source, and a bounded number for one key', async ({
  world,
  acme,
  key,
}) => {
  for (let i = 0; i < REFUSALS_OF_A_CALLER_AN_HOUR + 10; i++) await callFrom(world, key, `192.0.2.${i}`)
  await expect.poll(() => refusals(acme)).toHaveLength(REFUSALS_OF_A_CALLER_AN_HOUR)
  world.clock.advance(HOUR)
  await callFrom(world, key, '192.0.2.1')
  await expect.poll(() => refusals(acme)).toHaveLength(REFUSALS_OF_A_CALLER_AN_HOUR + 1)
})

it('a person without the Admin role is in the audit log once an hour, with the operation and the source', async ({
  world,
  acme,
}) => {
  const bob = await world.signUp('Bob')
  await world.join(acme, bob, 'MEMBER')
  for (let i = 0; i < 3; i++) await bob.call('query Look { apiKeys { totalCount } }', {}, acme.slug)
  await expect.poll(() => refusals(acme, 'USER_REFUSED')).toHaveLength(1)
  expect(await refusals(acme, 'USER_REFUSED')).toEqual([
    { subject: 'Bob', actor: { kind: 'USER', name: 'Bob' }, details: 'FORBIDDEN from 127.0.0.1: Look' },
  ])
})

it('a key that tries to manage keys without the right is in the audit log too', async ({ world, ada, acme }) => {
  await policyOfAdmin(ada, acme).set({ allowedNetworks: [], allowKeyManagement: false })
  const { secret } = await acme.generateKey()
  await world.asKey(secret).call('mutation Mint { generateApiKey { secret } }')
  await expect
    .poll(() => refusals(acme))
    .toMatchObject([{ details: expect.stringMatching(/^FORBIDDEN from 127\.0\.0\.1: Mint; key /) }])
})
