import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import type { Answer } from '../../test/support/world/http.ts'
import { fieldOf, supportStaff } from '../../test/support/world/people.ts'
import { startWorld, type TestOrganization } from '../../test/support/world/world.ts'

const it = inWorld(startWorld)
  .extend('bob', { scope: 'file' }, ({ world }) => world.signUp('Bob'))
  .extend('sue', { scope: 'file' }, ({ world }) => supportStaff(world, 'Sue'))
  .extend('newOrganization', ({ world, ada, bob }) => async (apiKeys: boolean) => {
    const org = await world.organization('Switch', { admin: ada, apiKeys })
    await world.join(org, bob, 'MEMBER')
    return org
  })

const SWITCH =
  'mutation ($on: Boolean!, $revoke: Boolean) { setApiKeysEnabled(enabled: $on, revokeActiveKeys: $revoke) { apiKeysEnabled activeApiKeyCount } }'
const SUPPORT_SWITCH =
  'mutation ($id: ID!, $on: Boolean!) { supportSetApiKeysEnabled(organizationId: $id, enabled: $on) { apiKeysEnabled activeApiKeyCount } }'
const codes = ({ errors }: Answer) => errors.map((error) => error.code)
const isOn = async (org: TestOrganization) =>
  fieldOf<{ apiKeysEnabled: boolean }>(await org.call('{ organization { apiKeysEnabled } }')).apiKeysEnabled

it('C5: new organizations and personal accounts start with the feature off', async ({ bob, newOrganization }) => {
  const org = await newOrganization(false)
  expect(await isOn(org)).toBe(false)
  expect((await bob.call('{ organization { kind apiKeysEnabled } }')).data).toEqual({
    organization: { kind: 'PERSONAL', apiKeysEnabled: false },
  })
})

it('F1: switching the feature of one organization does not affect others', async ({ ada, newOrganization }) => {
  const [one, other] = [await newOrganization(false), await newOrganization(false)]
  await ada.call(SWITCH, { on: true }, one.slug)

  expect([await isOn(one), await isOn(other)]).toEqual([true, false])
  expect((await ada.call('{ organization { apiKeysEnabled } }')).data).toEqual({
    organization: { apiKeysEnabled: false },
  })
})

it('F3, K2: an Admin or a key of the organization switches it; a Member, a stranger, a key of another organization and support do not', async ({
  world,
  ada,
  bob,
  sue,
  newOrganization,
}) => {
  const org = await newOrganization(true)
  const elsewhere = await newOrganization(true)
  const foreign = await world.generateKey(ada, elsewhere)
  const own = await org.generateKey()

  expect(codes(await bob.call(SWITCH, { on: false }, org.slug))).toEqual(['FORBIDDEN'])
  expect(codes(await sue.call(SWITCH, { on: false }, org.slug))).toEqual(['NOT_FOUND'])
  expect(codes(await world.nobody().call(SWITCH, { on: false }))).toEqual(['UNAUTHENTICATED'])
  expect(codes(await world.asKey(foreign.secret).call(SUPPORT_SWITCH, { id: org.id, on: false }))).toEqual([
    'FORBIDDEN',
  ])
  expect(await isOn(org)).toBe(true)
  expect(codes(await world.asKey(own.secret).call(SWITCH, { on: false }))).toEqual([])
  expect(await isOn(org)).toBe(false)
})

it('F3: only support switches any organization this way, and the audit log says support', async ({
  ada,
  sue,
  newOrganization,
}) => {
  const org = await newOrganization(false)
  expect(codes(await ada.call(SUPPORT_SWITCH, { id: org.id, on: true }))).toEqual(['FORBIDDEN'])
  expect(await isOn(org)).toBe(false)

  expect((await sue.call(SUPPORT_SWITCH, { id: org.id, on: true })).data).toEqual({
    supportSetApiKeysEnabled: { apiKeysEnabled: true, activeApiKeyCount: 0 },
  })
  expect(await isOn(org)).toBe(true)
  const { data } = await org.call('{ auditEvents(first: 1) { data { action actor { kind id name } } } }')
  expect(data).toEqual({
    auditEvents: {
      data: [{ action: 'API_KEYS_SWITCHED_ON', actor: { kind: 'SUPPORT', id: sue.userId, name: 'Sue' } }],
    },
  })
  expect(codes(await sue.call(SUPPORT_SWITCH, { id: 'no-such-id', on: true }))).toEqual(['NOT_FOUND'])
})

it('K3: with the feature off no key can be generated, by Admin, key, Member or support', async ({
  world,
  bob,
  sue,
  newOrganization,
}) => {
  const org = await newOrganization(true)
  const left = await org.generateKey()
  await org.call(SWITCH, { on: false })
  const generate = 'mutation { generateApiKey { secret } }'

  expect(codes(await org.call(generate))).toEqual(['FEATURE_DISABLED'])
  expect(codes(await world.asKey(left.secret).call(generate))).toEqual(['FEATURE_DISABLED'])
  expect(codes(await bob.call(generate, {}, org.slug))).toEqual(['FORBIDDEN'])
  expect(codes(await sue.call(generate))).toEqual(['FEATURE_DISABLED']) // her own personal account
})

it('C1, K11: switching off does not revoke; active keys are accepted, listed and can be revoked', async ({
  world,
  newOrganization,
}) => {
  const org = await newOrganization(true)
  const left = await org.generateKey()
  expect((await org.call(SWITCH, { on: false })).data).toEqual({
    setApiKeysEnabled: { apiKeysEnabled: false, activeApiKeyCount: 1 },
  })

  expect((await world.asKey(left.secret).call('{ viewer { role } }')).status).toBe(200)
  expect((await org.call('{ apiKeys { data { id } } }')).data).toEqual({
    apiKeys: { data: [{ id: left.id }] },
  })
  await org.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: left.id })
  expect((await world.asKey(left.secret).call('{ viewer { role } }')).status).toBe(401)
})

it('C1: switching off can revoke every active key in the same step', async ({ world, newOrganization }) => {
  const org = await newOrganization(true)
  const keys = [await org.generateKey(), await org.generateKey()]
  expect((await org.call(SWITCH, { on: false, revoke: true })).data).toEqual({
    setApiKeysEnabled: { apiKeysEnabled: false, activeApiKeyCount: 0 },
  })

  for (const { secret } of keys) expect((await world.asKey(secret).call('{ viewer { role } }')).status).toBe(401)
  expect((await org.call(SWITCH, { on: true, revoke: true })).errors).toMatchObject([
    { code: 'BAD_USER_INPUT', field: 'revokeActiveKeys' },
  ])
})

it('shows the number of active keys to an Admin, a key and support, not to a Member; expired keys do not count', async ({
  world,
  bob,
  sue,
  newOrganization,
}) => {
  const org = await newOrganization(true)
  const key = await org.generateKey()
  await org.generateKey({ expiresAt: new Date(world.clock.now() + 1000).toISOString() })
  world.clock.advance(1000)
  const count = '{ organization { activeApiKeyCount } }'

  expect((await org.call(count)).data).toEqual({ organization: { activeApiKeyCount: 1 } })
  expect((await world.asKey(key.secret).call(count)).data).toEqual({ organization: { activeApiKeyCount: 1 } })
  expect(codes(await bob.call(count, {}, org.slug))).toEqual(['FORBIDDEN'])
  const { data } = await sue.call('{ supportOrganizations(first: 500) { data { id activeApiKeyCount } } }')
  const { supportOrganizations } = data as {
    supportOrganizations: { data: { id: string; activeApiKeyCount: number }[] }
  }
  expect(supportOrganizations.data.find(({ id }) => id === org.id)?.activeApiKeyCount).toBe(1)
})
