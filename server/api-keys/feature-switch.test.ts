import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answer } from '../../test/support/http.ts'
import { type Person, startWorld, type TestOrganization, type World } from '../../test/support/world.ts'

let world: World
let ada: Person
let bob: Person
let sue: Person

beforeAll(async () => {
  world = await startWorld()
  ada = await world.signUp('Ada')
  bob = await world.signUp('Bob')
  sue = await world.signUp('Sue')
  await world.support(sue)
})
afterAll(() => world.close())

const SWITCH =
  'mutation ($on: Boolean!, $revoke: Boolean) { setApiKeysEnabled(enabled: $on, revokeActiveKeys: $revoke) { apiKeysEnabled activeApiKeyCount } }'
const SUPPORT_SWITCH =
  'mutation ($id: ID!, $on: Boolean!) { supportSetApiKeysEnabled(organizationId: $id, enabled: $on) { apiKeysEnabled activeApiKeyCount } }'
const codes = ({ errors }: Answer) => errors.map((error) => error.code)
const isOn = async (org: TestOrganization) =>
  (
    (await ada.call('{ organization { apiKeysEnabled } }', {}, org.slug)).data as {
      organization: { apiKeysEnabled: boolean }
    }
  ).organization.apiKeysEnabled
const newOrganization = async (apiKeys: boolean) => {
  const org = await world.organization('Switch', { admin: ada, apiKeys })
  await world.join(org, bob, 'MEMBER')
  return org
}

it('C5: new organizations and personal accounts start with the feature off', async () => {
  const org = await newOrganization(false)
  expect(await isOn(org)).toBe(false)
  expect((await bob.call('{ organization { kind apiKeysEnabled } }')).data).toEqual({
    organization: { kind: 'PERSONAL', apiKeysEnabled: false },
  })
})

it('F1: the switch of one organization leaves every other as it is', async () => {
  const [one, other] = [await newOrganization(false), await newOrganization(false)]
  await ada.call(SWITCH, { on: true }, one.slug)

  expect([await isOn(one), await isOn(other)]).toEqual([true, false])
  expect((await ada.call('{ organization { apiKeysEnabled } }')).data).toEqual({
    organization: { apiKeysEnabled: false },
  })
})

it('F3, K2: an Admin or a key of the organization switches it; a Member, a stranger, a foreign key and support in passing do not', async () => {
  const org = await newOrganization(true)
  const elsewhere = await newOrganization(true)
  const foreign = await world.generateKey(ada, elsewhere)
  const own = await world.generateKey(ada, org)

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

it("F3: the vendor's support switches any organization, nobody else does it this way, and the audit log says support", async () => {
  const org = await newOrganization(false)
  expect(codes(await ada.call(SUPPORT_SWITCH, { id: org.id, on: true }))).toEqual(['FORBIDDEN'])
  expect(await isOn(org)).toBe(false)

  expect((await sue.call(SUPPORT_SWITCH, { id: org.id, on: true })).data).toEqual({
    supportSetApiKeysEnabled: { apiKeysEnabled: true, activeApiKeyCount: 0 },
  })
  expect(await isOn(org)).toBe(true)
  const { data } = await ada.call('{ auditEvents(first: 1) { data { action actor { kind id name } } } }', {}, org.slug)
  expect(data).toEqual({
    auditEvents: {
      data: [{ action: 'api_keys.switched_on', actor: { kind: 'SUPPORT', id: sue.userId, name: 'Sue' } }],
    },
  })
  expect(codes(await sue.call(SUPPORT_SWITCH, { id: 'no-such-id', on: true }))).toEqual(['NOT_FOUND'])
})

it('K3: with the feature off nobody generates a key: Admin, key, Member, support', async () => {
  const org = await newOrganization(true)
  const left = await world.generateKey(ada, org)
  await ada.call(SWITCH, { on: false }, org.slug)
  const generate = 'mutation { generateApiKey { secret } }'

  expect(codes(await ada.call(generate, {}, org.slug))).toEqual(['FEATURE_DISABLED'])
  expect(codes(await world.asKey(left.secret).call(generate))).toEqual(['FEATURE_DISABLED'])
  expect(codes(await bob.call(generate, {}, org.slug))).toEqual(['FORBIDDEN'])
  expect(codes(await sue.call(generate))).toEqual(['FEATURE_DISABLED']) // her own personal account
})

it('C1, K11: off does not revoke; keys that are left work, are seen and can be revoked', async () => {
  const org = await newOrganization(true)
  const left = await world.generateKey(ada, org)
  expect((await ada.call(SWITCH, { on: false }, org.slug)).data).toEqual({
    setApiKeysEnabled: { apiKeysEnabled: false, activeApiKeyCount: 1 },
  })

  expect((await world.asKey(left.secret).call('{ viewer { role } }')).status).toBe(200)
  expect((await ada.call('{ apiKeys { data { id } } }', {}, org.slug)).data).toEqual({
    apiKeys: { data: [{ id: left.id }] },
  })
  await ada.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: left.id }, org.slug)
  expect((await world.asKey(left.secret).call('{ viewer { role } }')).status).toBe(401)
})

it('C1: switching off can revoke every active key in the same step', async () => {
  const org = await newOrganization(true)
  const keys = [await world.generateKey(ada, org), await world.generateKey(ada, org)]
  expect((await ada.call(SWITCH, { on: false, revoke: true }, org.slug)).data).toEqual({
    setApiKeysEnabled: { apiKeysEnabled: false, activeApiKeyCount: 0 },
  })

  for (const { secret } of keys) expect((await world.asKey(secret).call('{ viewer { role } }')).status).toBe(401)
  expect((await ada.call(SWITCH, { on: true, revoke: true }, org.slug)).errors).toMatchObject([
    { code: 'BAD_USER_INPUT', field: 'revokeActiveKeys' },
  ])
})

it('shows the count of active keys to Admin, key and support, not to a Member; an expired key is not active', async () => {
  const org = await newOrganization(true)
  const key = await world.generateKey(ada, org)
  await world.generateKey(ada, org, { expiresAt: new Date(world.clock.now() + 1000).toISOString() })
  world.clock.advance(1000)
  const count = '{ organization { activeApiKeyCount } }'

  expect((await ada.call(count, {}, org.slug)).data).toEqual({ organization: { activeApiKeyCount: 1 } })
  expect((await world.asKey(key.secret).call(count)).data).toEqual({ organization: { activeApiKeyCount: 1 } })
  expect(codes(await bob.call(count, {}, org.slug))).toEqual(['FORBIDDEN'])
  const { data } = await sue.call('{ supportOrganizations(first: 500) { data { id activeApiKeyCount } } }')
  const { supportOrganizations } = data as {
    supportOrganizations: { data: { id: string; activeApiKeyCount: number }[] }
  }
  expect(supportOrganizations.data.find(({ id }) => id === org.id)?.activeApiKeyCount).toBe(1)
})
