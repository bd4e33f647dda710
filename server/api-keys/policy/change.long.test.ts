import { describe, expect } from 'vitest'
import { LOOPBACK } from '../../../test/support/world/called-from.ts'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { codesOf, eventsOf, fieldOf } from '../../../test/support/world/people.ts'
import { breachesIn, type Policy, policyOfAdmin, wasSeen, wasUsed } from '../../../test/support/world/policy.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { keyRules } from '../../caller/key-rules.ts'
import type { ApiKeyCaller } from '../../caller/verify-key.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { apiKeyPolicyViolations } from './violations.ts'

const it = inOrganization(startWorld).extend('policy', ({ ada, acme }) => policyOfAdmin(ada, acme))

const use = (world: World, key: TestKey) => world.asKey(key.secret).call('{ viewer { role } }')
const ask = (acme: TestOrganization, query: string) => acme.call(query)
const heldTo = async (policy: Policy, key: TestKey) => fieldOf<{ policy: object }>(await policy.ofKey(key.id)).policy
const policyEvents = async (acme: TestOrganization) => {
  const answer = await ask(acme, '{ auditEvents(first: 20) { data { action subject details actor { kind name } } } }')
  return eventsOf(answer).filter(({ action }) => action.startsWith('API_KEYS_') && !action.includes('SWITCHED'))
}

describe('LABEL_REQUIRED', () => {
  it('refuses keys with a generated label only if applied to them, until they are renamed or the rule is lifted', async ({
    world,
    acme,
    policy,
  }) => {
    const [nameless, other, named] = [
      await acme.generateKey({}),
      await acme.generateKey({}),
      await acme.generateKey({ label: 'ci' }),
    ]
    expect(breachesIn(await policy.violations({ labelRequired: true }))).toEqual({
      LABEL_REQUIRED: [nameless.id, other.id],
    })
    await policy.set({ labelRequired: true })
    expect((await use(world, nameless)).status).toBe(200)

    await policy.set({}, ['LABEL_REQUIRED'])
    expect(await use(world, nameless)).toMatchObject({ status: 403, errors: [{ code: 'FORBIDDEN' }] })
    expect((await use(world, named)).status).toBe(200)
    expect(breachesIn(await policy.violations({}))).toEqual({})

    await ask(acme, `mutation { renameApiKey(id: "${nameless.id}", label: "export") { id } }`)
    expect((await use(world, nameless)).status).toBe(200)
    expect((await use(world, other)).status).toBe(403)
    await policy.set({ labelRequired: false })
    expect((await use(world, other)).status).toBe(200)
  })
})

describe('ALLOWED_NETWORKS', () => {
  const inside = { allowedNetworks: ['10.0.0.0/8'] }

  it('counts an address that is not listed as outside the networks', async ({ world, acme, policy }) => {
    const key = await acme.generateKey()
    await wasUsed(world, key, '10.0.0.1')
    await wasSeen(world, key, null, world.clock.now())
    expect(breachesIn(await policy.violations(inside))).toEqual({ ALLOWED_NETWORKS: [key.id] })
  })

  it('applies at once to keys that were never used from outside; others keep working until it is applied to them', async ({
    world,
    acme,
    policy,
  }) => {
    const [unused, good, last, seen, longAgo] = [
      await acme.generateKey(),
      await acme.generateKey(),
      await acme.generateKey(),
      await acme.generateKey(),
      await acme.generateKey(),
    ]
    await wasUsed(world, good, '::ffff:10.0.0.1')
    await wasUsed(world, last, '192.0.2.1', world.clock.now() - 80 * DAY)
    await wasUsed(world, seen, '10.0.0.1')
    await wasSeen(world, seen, '192.0.2.1', world.clock.now() - 46 * HOUR)
    await wasUsed(world, longAgo, '10.0.0.1')
    await wasSeen(world, longAgo, '192.0.2.1', world.clock.now() - 50 * HOUR)

    expect(breachesIn(await policy.violations(inside))).toEqual({ ALLOWED_NETWORKS: [last.id, seen.id] })
    await policy.set(inside)
    for (const key of [unused, good, longAgo]) expect(await use(world, key)).toMatchObject({ status: 403 })
    for (const key of [last, seen]) expect(await use(world, key)).toMatchObject({ status: 200 })
    expect(await heldTo(policy, last)).toMatchObject({ allowedNetworks: [] })
    expect(await heldTo(policy, good)).toMatchObject({ allowedNetworks: ['10.0.0.0/8'] })

    await policy.set({ expiryRequired: true }) // without a word on the networks
    expect(await heldTo(policy, last)).toMatchObject({ allowedNetworks: [] })

    await policy.set({}, ['ALLOWED_NETWORKS'])
    for (const key of [last, seen]) expect(await use(world, key)).toMatchObject({ status: 403 })
    expect(Object.keys(breachesIn(await policy.violations({})))).toEqual(['EXPIRY_REQUIRED'])

    await policy.set({ allowedNetworks: ['10.0.0.0/8', '127.0.0.1'] })
    for (const key of [unused, good]) expect(await use(world, key)).toMatchObject({ status: 200 })
    await policy.set({ allowedNetworks: [] })
    for (const key of [unused, good, last, seen, longAgo]) expect(await use(world, key)).toMatchObject({ status: 200 })
  })

  it('does not lock out the key that sets it from outside, unless asked to', async ({ world, acme }) => {
    const { secret } = await acme.generateKey()
    const asKey = world.asKey(secret)
    const set = 'mutation { setApiKeyPolicy(input: { allowedNetworks: "10.0.0.0/8" }) { allowedNetworks } }'
    expect(codesOf(await asKey.call(set))).toEqual([])
    expect((await asKey.call('{ viewer { role } }')).status).toBe(200)
    const apply = 'mutation { setApiKeyPolicy(input: {}, applyToExisting: [ALLOWED_NETWORKS]) { maxKeys } }'
    expect(codesOf(await asKey.call(apply))).toEqual([])
    expect((await asKey.call('{ viewer { role } }')).status).toBe(403)
  })

  it('counts the calling key as outside while nothing is known about its calls', async ({ world, acme }) => {
    const [calling] = [await acme.generateKey(), await acme.generateKey()]
    const { database, clock } = world
    const who = { keyId: calling.id, label: 'ci', organizationId: acme.id, rules: keyRules(null), calledFrom: LOOPBACK }
    const caller: ApiKeyCaller = { kind: 'API_KEY', role: 'ADMIN', ...who }
    const found = await apiKeyPolicyViolations({ caller, reads: database.read, database, now: clock.now }, inside)
    expect(found.map(({ rule, apiKeys }) => [rule, apiKeys.map(({ id }) => id)])).toEqual([
      ['ALLOWED_NETWORKS', [calling.id]],
    ])
  })
})

describe('ALLOW_KEY_MANAGEMENT', () => {
  it('applies at once to keys that have generated none; others keep working until it is applied to them', async ({
    world,
    acme,
    policy,
  }) => {
    const [maker, plain, rotating] = [await acme.generateKey(), await acme.generateKey(), await acme.generateKey()]
    const generate = async (secret: string) =>
      codesOf(await world.asKey(secret).call('mutation { generateApiKey { secret } }'))
    expect(await generate(maker.secret)).toEqual([])
    const rotate = `mutation { rotateApiKey(id: "${rotating.id}") { secret apiKey { id } } }`
    const heir = fieldOf<{ secret: string; apiKey: { id: string } }>(await world.asKey(rotating.secret).call(rotate))

    const broken = [maker.id, rotating.id, heir.apiKey.id]
    expect(breachesIn(await policy.violations({ allowKeyManagement: false }))).toEqual({ ALLOW_KEY_MANAGEMENT: broken })
    await policy.set({ allowKeyManagement: false })
    expect(await generate(plain.secret)).toEqual(['FORBIDDEN'])
    expect(await generate(maker.secret)).toEqual([])
    expect(await generate(heir.secret)).toEqual([])

    await policy.set({}, ['ALLOW_KEY_MANAGEMENT'])
    expect(await generate(maker.secret)).toEqual(['FORBIDDEN'])
    expect(await generate(heir.secret)).toEqual(['FORBIDDEN'])
    await policy.set({ allowKeyManagement: true })
    expect(await generate(plain.secret)).toEqual([])
    expect(await generate(maker.secret)).toEqual([])
  })
})

it('REJECT_BROWSERS applies to all keys at once, and no key violates it', async ({ world, acme, policy }) => {
  const key = await acme.generateKey()
  await use(world, key)
  expect(breachesIn(await policy.violations({ rejectBrowsers: true }))).toEqual({})
  await policy.set({ rejectBrowsers: true })
  expect(await heldTo(policy, key)).toMatchObject({ rejectBrowsers: true })
  await policy.set({ rejectBrowsers: null })
  expect(await heldTo(policy, key)).toMatchObject({ rejectBrowsers: false })
})

it('a key that complies by now gets the rule once it is applied, and the audit log says which', async ({
  world,
  acme,
  policy,
}) => {
  const key = await acme.generateKey()
  await wasUsed(world, key, '192.0.2.1')
  await policy.set({ allowedNetworks: ['10.0.0.0/8'] })
  await wasUsed(world, key, '10.0.0.1')
  await policy.set({ maxKeys: 50 })
  expect(await heldTo(policy, key)).toMatchObject({ allowedNetworks: [] })
  await policy.set({}, ['ALLOWED_NETWORKS'])
  expect(await heldTo(policy, key)).toMatchObject({ allowedNetworks: ['10.0.0.0/8'] })
  expect((await policyEvents(acme))[0]?.details).toBe(`as it was, now also for keys ${key.id}`)
})

it('a key that is generated or renamed during a change of the policy gets the new rules', async ({ acme, policy }) => {
  for (let round = 0; round < 8; round++) {
    const keys = [await acme.generateKey({}), await acme.generateKey({})]
    const rename = ({ id }: TestKey) =>
      ask(acme, `mutation { renameApiKey(id: "${id}", label: "named ${round}") { id } }`)
    const rejectBrowsers = round % 2 === 0
    const [, , , made] = await Promise.all([
      ...keys.map(rename),
      policy.set({ rejectBrowsers, allowedNetworks: [`10.${round}.0.0/16`] }),
      acme.generateKey(),
    ])
    for (const key of [...keys, made as TestKey]) {
      expect(await heldTo(policy, key), `round ${round}`).toMatchObject({
        rejectBrowsers,
        allowedNetworks: [`10.${round}.0.0/16`],
      })
    }
  }
})
