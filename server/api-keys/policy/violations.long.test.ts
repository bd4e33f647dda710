import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import type { Answer } from '../../../test/support/world/http.ts'
import { codesOf, eventsOf, fieldOf } from '../../../test/support/world/people.ts'
import { breachesIn, type Policy, policyOfAdmin, wasUsed } from '../../../test/support/world/policy.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY } from '../../lib/clock.ts'

const it = inOrganization(startWorld).extend('policy', ({ ada, acme }) => policyOfAdmin(ada, acme))

const inDays = (world: World, days: number) => new Date(world.clock.now() + days * DAY).toISOString()
const use = (world: World, key: TestKey) => world.asKey(key.secret).call('{ viewer { role } }')
const ask = (acme: TestOrganization, query: string) => acme.call(query)
const endOf = async (policy: Policy, key: TestKey) =>
  fieldOf<{ expiresAt: string | null }>(await policy.ofKey(key.id)).expiresAt
const policyEvents = async (acme: TestOrganization) => {
  const answer = await ask(acme, '{ auditEvents(first: 20) { data { action subject details actor { kind name } } } }')
  return eventsOf(answer).filter(({ action }) => action.startsWith('API_KEYS_') && !action.includes('SWITCHED'))
}
const idsIn = (answer: Answer) => fieldOf<{ data: { id: string }[] }>(answer).data.map(({ id }) => id)

describe('MAX_KEYS', () => {
  it('lists the surplus keys, the least recently used first, and revokes them only on request', async ({
    world,
    acme,
    policy,
  }) => {
    const now = world.clock.now()
    const [old, unused, busy, expired] = [
      await acme.generateKey({ label: 'old' }),
      await acme.generateKey({ label: 'unused' }),
      await acme.generateKey({ label: 'busy' }),
      await acme.generateKey({ label: 'expired', expiresAt: new Date(now + 1).toISOString() }),
    ]
    world.clock.advance(10)
    await wasUsed(world, old, '10.0.0.1', now - DAY)
    await wasUsed(world, busy, '10.0.0.1', now + 10)

    expect(breachesIn(await policy.violations({ maxKeys: 1 }))).toEqual({ MAX_KEYS: [old.id, unused.id] })
    await policy.set({ maxKeys: 1 })
    expect(idsIn(await ask(acme, '{ apiKeys { data { id } } }'))).toEqual([expired.id, busy.id, unused.id, old.id])
    expect(codesOf(await ask(acme, 'mutation { generateApiKey { secret } }'))).toEqual(['LIMIT_EXCEEDED'])

    await policy.set({}, ['MAX_KEYS'])
    expect(idsIn(await ask(acme, '{ apiKeys { data { id } } }'))).toEqual([expired.id, busy.id])
    expect(codesOf(await use(world, unused))).toEqual(['API_KEY_INVALID'])
    expect((await use(world, busy)).status).toBe(200)
    expect(breachesIn(await policy.violations({}))).toEqual({})
    const [changed, revoked] = await policyEvents(acme)
    expect(changed).toMatchObject({
      action: 'API_KEYS_POLICY_CHANGED',
      details: `MAX_KEYS applied to keys ${old.id}, ${unused.id}`,
    })
    expect(revoked).toMatchObject({
      action: 'API_KEYS_REVOKED',
      details: `more than the policy allows; keys ${old.id}, ${unused.id}`,
    })
  })

  it('never includes the calling key or a replaced key', async ({ world, acme, policy }) => {
    const [caller, other] = [await acme.generateKey(), await acme.generateKey()]
    await wasUsed(world, caller, '127.0.0.1', 1)
    const rotated = await ask(acme, `mutation { rotateApiKey(id: "${other.id}") { apiKey { id } } }`)
    const { apiKey: fresh } = fieldOf<{ apiKey: { id: string } }>(rotated)

    const query = '{ apiKeyPolicyViolations(input: { maxKeys: 1 }) { rule apiKeys { id } } }'
    expect(breachesIn(await world.asKey(caller.secret).call(query))).toEqual({ MAX_KEYS: [fresh.id] })
    expect(breachesIn(await policy.violations({ maxKeys: 2 }))).toEqual({})
  })
})

describe('MAX_LIFETIME', () => {
  it('lists keys that expire later or never, and shortens their lifetime only on request', async ({
    world,
    acme,
    policy,
  }) => {
    const [endless, late, soon] = [
      await acme.generateKey(),
      await acme.generateKey({ label: 'late', expiresAt: inDays(world, 91) }),
      await acme.generateKey({ label: 'soon', expiresAt: inDays(world, 90) }),
    ]
    expect(breachesIn(await policy.violations({ maxLifetimeDays: 90 }))).toEqual({
      MAX_LIFETIME: [endless.id, late.id],
    })
    await policy.set({ maxLifetimeDays: 90 })
    expect(await endOf(policy, endless)).toBeNull()
    expect(await endOf(policy, late)).toBe(inDays(world, 91))

    await policy.set({}, ['MAX_LIFETIME'])
    for (const key of [endless, late, soon]) expect(await endOf(policy, key)).toBe(inDays(world, 90))
    expect(breachesIn(await policy.violations({}))).toEqual({})
    expect((await policyEvents(acme))[0]?.details).toBe(`MAX_LIFETIME applied to keys ${endless.id}, ${late.id}`)
  })

  it('does not affect an older key that expires in time', async ({ world, acme, policy }) => {
    const key = await acme.generateKey({ label: 'long', expiresAt: inDays(world, 0.4) })
    world.clock.advance(DAY / 4)
    const end = await endOf(policy, key)
    await policy.set({ maxLifetimeDays: 1 }, ['MAX_LIFETIME'])
    expect(await endOf(policy, key)).toBe(end)
    world.clock.advance(-DAY / 4)
  })
})

describe('EXPIRY_REQUIRED', () => {
  it.for<[object, number]>([
    [{ expiryRequired: true }, 90],
    [{ expiryRequired: true, maxLifetimeDays: 7 }, 7],
  ])(
    'with %j, keys without an expiration get one in %i days on request',
    async ([input, days], { world, acme, policy }) => {
      const [endless, ending] = [
        await acme.generateKey(),
        await acme.generateKey({ label: 'ending', expiresAt: inDays(world, 1) }),
      ]
      expect(breachesIn(await policy.violations(input))).toMatchObject({ EXPIRY_REQUIRED: [endless.id] })
      await policy.set(input)
      expect(await endOf(policy, endless)).toBeNull()
      await policy.set({}, ['EXPIRY_REQUIRED'])
      expect(await endOf(policy, endless)).toBe(inDays(world, days))
      expect(await endOf(policy, ending)).toBe(inDays(world, 1))
    },
  )
})

it('keys of other organizations are neither listed nor changed', async ({ world, ada, policy }) => {
  const other = await world.organization('Other', { admin: ada })
  const key = await other.generateKey({})
  await wasUsed(world, key, '192.0.2.1')
  const all = {
    maxKeys: 1,
    expiryRequired: true,
    labelRequired: true,
    allowedNetworks: ['10.0.0.0/8'],
    allowKeyManagement: false,
  }
  expect(breachesIn(await policy.violations(all))).toEqual({})
  await policy.set({ ...all, rejectBrowsers: true }, ['EXPIRY_REQUIRED', 'LABEL_REQUIRED', 'ALLOWED_NETWORKS'])
  expect((await use(world, key)).status).toBe(200)
  expect(fieldOf(await policyOfAdmin(ada, other).ofKey(key.id))).toMatchObject({ expiresAt: null })
})

it('says for each rule what happens to the keys that violate it', async ({ world, acme, policy }) => {
  const key = await acme.generateKey({})
  await wasUsed(world, key, '192.0.2.1')
  await acme.generateKey({})
  await world.asKey(key.secret).call('mutation { generateApiKey { secret } }')
  await wasUsed(world, key, '192.0.2.1')
  const all = {
    maxKeys: 1,
    maxLifetimeDays: 1,
    expiryRequired: true,
    labelRequired: true,
    allowedNetworks: ['10.0.0.0/8'],
  }
  const violations = fieldOf<{ rule: string; consequence: string }[]>(
    await policy.violations({ ...all, allowKeyManagement: false }),
  )
  expect(violations.map(({ rule, consequence }) => [rule, consequence])).toEqual([
    ['MAX_KEYS', 'They are revoked for good, and everything that uses them loses access at once.'],
    ['MAX_LIFETIME', 'They expire 1 day from now.'],
    ['EXPIRY_REQUIRED', 'They expire 1 day from now.'],
    ['LABEL_REQUIRED', 'They are refused until somebody gives them a label.'],
    ['ALLOWED_NETWORKS', 'They are refused from all other networks, where they have been used recently.'],
    ['ALLOW_KEY_MANAGEMENT', 'They can no longer generate, rename, rotate or revoke keys.'],
  ])
})
