import { describe, expect, vi } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { codesOf, eventsOf, fieldOf } from '../../../test/support/world/people.ts'
import { DEFAULT_POLICY, policyAs, policyOfAdmin } from '../../../test/support/world/policy.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY } from '../../lib/clock.ts'

const it = inOrganization(startWorld).extend('policy', ({ ada, acme }) => policyOfAdmin(ada, acme))

const GENERATE = `mutation ($input: GenerateApiKeyInput) {
  generateApiKey(input: $input) { secret apiKey { id label expiresAt } } }`
const generate = (acme: TestOrganization, input?: object) => acme.call(GENERATE, { input })
const inDays = (world: World, days: number) => new Date(world.clock.now() + days * DAY).toISOString()
const audit = async (acme: TestOrganization) =>
  eventsOf(await policyless(acme, '{ auditEvents { data { action subject details actor { kind name } } } }'))
const policyless = (acme: TestOrganization, query: string) => acme.call(query)
const refusal = ({ errors }: Awaited<ReturnType<typeof generate>>) => errors.map(({ code, field }) => [code, field])

describe('K6, K7: by default', () => {
  it('a key has no restrictions: no label or expiration is required, and it may generate keys without restrictions', async ({
    world,
    acme,
    policy,
  }) => {
    expect(fieldOf(await policy.read())).toEqual(DEFAULT_POLICY)
    const { secret } = fieldOf<{ secret: string }>(await generate(acme))
    const made = await world.asKey(secret).call('mutation { generateApiKey { apiKey { id expiresAt } } }')

    expect(made).toMatchObject({ status: 200, errors: [], data: { generateApiKey: { apiKey: { expiresAt: null } } } })
    expect(fieldOf(await policyAs(world.asKey(secret).call).ofViewer())).toMatchObject({
      apiKey: { policy: DEFAULT_POLICY },
    })
    expect(await rulesOf(world, acme)).toEqual([null, null])
  })

  it('setting an equal policy, or none, leaves no entry in the audit log', async ({ acme, policy }) => {
    expect(fieldOf(await policy.set({}))).toEqual(DEFAULT_POLICY)
    expect(fieldOf(await policy.set({ maxKeys: null, allowedNetworks: [], allowKeyManagement: true }))).toEqual(
      DEFAULT_POLICY,
    )
    expect((await audit(acme)).map(({ action }) => action)).not.toContain('API_KEYS_POLICY_CHANGED')
  })
})

const rulesOf = async (world: World, { id }: TestOrganization) => {
  const keys = await world.database.read.selectFrom('apiKey').select('rules').where('organizationId', '=', id).execute()
  return keys.map(({ rules }) => rules)
}

describe('a policy', () => {
  const strict = {
    maxKeys: 2,
    maxLifetimeDays: 90,
    expiryRequired: true,
    labelRequired: true,
    allowedNetworks: ['127.0.0.0/8', '2001:db8::/32'],
    allowKeyManagement: false,
    rejectBrowsers: true,
  }

  it('is stored; absent rules stay, and null resets a rule to the default', async ({ policy }) => {
    expect(fieldOf(await policy.set(strict))).toEqual(strict)
    expect(fieldOf(await policy.read())).toEqual(strict)
    const changed = { ...strict, maxKeys: null, allowedNetworks: [], allowKeyManagement: true, maxLifetimeDays: 30 }
    const input = { maxKeys: null, allowedNetworks: null, allowKeyManagement: null, maxLifetimeDays: 30 }
    expect(fieldOf(await policy.set(input))).toEqual(changed)
    expect(fieldOf(await policy.read())).toEqual(changed)
  })

  it('applies to one organization', async ({ world, ada, policy }) => {
    const other = await world.organization('Other', { admin: ada })
    await policy.set(strict)
    expect(fieldOf(await policyOfAdmin(ada, other).read())).toEqual(DEFAULT_POLICY)
  })

  it('is shown to a script by viewer, with the label and the expiration of its key', async ({
    world,
    acme,
    policy,
  }) => {
    await policy.set({ ...strict, allowKeyManagement: true })
    const { secret } = await acme.generateKey({ label: 'ci', expiresAt: inDays(world, 5) })
    expect(fieldOf(await policyAs(world.asKey(secret).call).ofViewer())).toEqual({
      apiKey: { label: 'ci', expiresAt: inDays(world, 5), policy: { ...strict, allowKeyManagement: true } },
    })
  })

  it('can be changed by a key, unless the key may not manage keys', async ({ world, acme }) => {
    const { secret } = await acme.generateKey()
    const asKey = policyAs(world.asKey(secret).call)
    expect(fieldOf(await asKey.set({ allowKeyManagement: false }))).toMatchObject({ allowKeyManagement: false })
    expect(codesOf(await asKey.set({ allowKeyManagement: true }))).toEqual(['FORBIDDEN'])
    expect(fieldOf(await asKey.read())).toMatchObject({ allowKeyManagement: false })
  })

  it('is recorded in the audit log with its previous values', async ({ acme, policy }) => {
    await policy.set({ maxKeys: 5, allowedNetworks: ['10.0.0.0/8', '192.0.2.1'] })
    await policy.set({ maxKeys: null, expiryRequired: true })
    expect((await audit(acme)).filter(({ action }) => action === 'API_KEYS_POLICY_CHANGED')).toEqual([
      {
        action: 'API_KEYS_POLICY_CHANGED',
        subject: 'Acme',
        details: 'maxKeys: any, was 5; expiryRequired: yes, was no',
        actor: { kind: 'USER', name: 'Ada' },
      },
      {
        action: 'API_KEYS_POLICY_CHANGED',
        subject: 'Acme',
        details: 'maxKeys: 5, was any; allowedNetworks: 10.0.0.0/8 192.0.2.1/32, was any',
        actor: { kind: 'USER', name: 'Ada' },
      },
    ])
  })

  it.for<[string, unknown]>([
    ['maxKeys', 0],
    ['maxKeys', -1],
    ['maxKeys', 101],
    ['maxLifetimeDays', 0],
    ['maxLifetimeDays', 3651],
    ['allowedNetworks', ['10.0.0.0/40']],
    ['allowedNetworks', ['10.0.0.0/8', 'localhost']],
  ])('refuses %s: %j, also in a preview', async ([field, value], { policy }) => {
    const input = { [field]: value, expiryRequired: true }
    expect(refusal(await policy.set(input))).toEqual([['BAD_USER_INPUT', field]])
    expect(refusal(await policy.violations(input))).toEqual([['BAD_USER_INPUT', field]])
    expect(fieldOf(await policy.read())).toEqual(DEFAULT_POLICY)
  })
})

describe('a new key', () => {
  it('is refused beyond maxKeys; an expired key does not count', async ({ world, acme, policy }) => {
    await policy.set({ maxKeys: 2 })
    await acme.generateKey({ label: 'a', expiresAt: inDays(world, 1 / 24) })
    await acme.generateKey({ label: 'b' })
    const third = await generate(acme, { label: 'c' })
    expect(third.errors).toMatchObject([
      { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('may have 2 active keys') },
    ])

    world.clock.advance(DAY / 24)
    expect(codesOf(await generate(acme, { label: 'c' }))).toEqual([])
    expect(codesOf(await generate(acme, { label: 'd' }))).toEqual(['LIMIT_EXCEEDED'])
  })

  it('must expire within maxLifetimeDays, to the millisecond', async ({ world, acme, policy }) => {
    await policy.set({ maxLifetimeDays: 90 })
    const after = new Date(world.clock.now() + 90 * DAY + 1).toISOString()
    expect(refusal(await generate(acme, { label: 'x', expiresAt: after }))).toEqual([['BAD_USER_INPUT', 'expiresAt']])
    expect(refusal(await generate(acme, { label: 'x' }))).toEqual([['BAD_USER_INPUT', 'expiresAt']])
    expect(codesOf(await generate(acme, { label: 'x', expiresAt: inDays(world, 90) }))).toEqual([])
  })

  it('needs an expiration if one is required, however late', async ({ world, acme, policy }) => {
    await policy.set({ expiryRequired: true })
    expect(refusal(await generate(acme, { label: 'x' }))).toEqual([['BAD_USER_INPUT', 'expiresAt']])
    expect(refusal(await generate(acme, { label: 'x', expiresAt: null }))).toEqual([['BAD_USER_INPUT', 'expiresAt']])
    expect(codesOf(await generate(acme, { label: 'x', expiresAt: inDays(world, 5000) }))).toEqual([])
  })

  it('needs a chosen label if one is required', async ({ acme, policy }) => {
    await policy.set({ labelRequired: true })
    expect(refusal(await generate(acme))).toEqual([['BAD_USER_INPUT', 'label']])
    expect(refusal(await generate(acme, { label: null }))).toEqual([['BAD_USER_INPUT', 'label']])
    expect(codesOf(await generate(acme, { label: 'x' }))).toEqual([])
  })

  it('has these rules also when a key generates it', async ({ world, acme, policy }) => {
    const { secret } = await acme.generateKey()
    await policy.set({ expiryRequired: true, allowedNetworks: ['127.0.0.1'], rejectBrowsers: true })
    const asKey = world.asKey(secret)
    expect(refusal(await asKey.call(GENERATE, { input: { label: 'x' } }))).toEqual([['BAD_USER_INPUT', 'expiresAt']])
    const made = await asKey.call(GENERATE, { input: { label: 'x', expiresAt: inDays(world, 1) } })
    const { apiKey } = fieldOf<{ apiKey: { id: string } }>(made)
    expect(fieldOf(await policy.ofKey(apiKey.id))).toMatchObject({
      policy: {
        allowedNetworks: ['127.0.0.1/32'],
        rejectBrowsers: true,
        allowKeyManagement: true,
        expiryRequired: true,
      },
    })
  })
})

it('a key that may not manage keys is refused every change of a key, with its own message, and nothing else', async ({
  world,
  acme,
  policy,
}) => {
  await policy.set({ allowKeyManagement: false })
  const { id, secret } = await acme.generateKey()
  const asKey = world.asKey(secret)
  for (const mutation of [
    'generateApiKey { secret }',
    `renameApiKey(id: "${id}", label: "other") { id }`,
    `rotateApiKey(id: "${id}") { secret }`,
    `revokeApiKey(id: "${id}") { ids }`,
    'revokeApiKeys(input: { all: true }) { ids }',
    'setApiKeysEnabled(enabled: false) { id }',
    'setApiKeyPolicy(input: { allowKeyManagement: true }) { allowKeyManagement }',
  ]) {
    const { errors } = await asKey.call(`mutation { ${mutation} }`)
    expect(errors, mutation).toMatchObject([
      { code: 'FORBIDDEN', message: expect.stringContaining('may not manage keys') },
    ])
  }
  expect(codesOf(await asKey.call('mutation { createDevice(input: { name: "edge-1" }) { id } }'))).toEqual([])
  expect(
    codesOf(await asKey.call('{ apiKeys { data { id policy { allowKeyManagement } } } apiKeyPolicy { maxKeys } }')),
  ).toEqual([])
})

it('is read once for all keys of a page, and again after a change in the same request', async ({ world, acme }) => {
  for (let n = 0; n < 5; n++) await acme.generateKey()
  const reads = vi.spyOn(world.database.readFor(acme.id), 'selectFrom')
  const countFor = async (first: number) => {
    reads.mockClear()
    const answer = await policyless(acme, `{ apiKeys(first: ${first}) { data { policy { maxKeys } } } }`)
    expect(fieldOf<{ data: object[] }>(answer).data).toHaveLength(first)
    return reads.mock.calls.filter(([table]) => String(table) === 'organization').length
  }
  expect(await countFor(5)).toBe(await countFor(1))
  reads.mockRestore()

  const { id } = await acme.generateKey()
  const twice = await policyless(
    acme,
    `mutation {
    before: renameApiKey(id: "${id}", label: "a") { policy { maxKeys } }
    setApiKeyPolicy(input: { maxKeys: 50 }) { maxKeys }
    after: renameApiKey(id: "${id}", label: "b") { policy { maxKeys } }
  }`,
  )
  expect(twice.data).toMatchObject({ before: { policy: { maxKeys: null } }, after: { policy: { maxKeys: 50 } } })
})
