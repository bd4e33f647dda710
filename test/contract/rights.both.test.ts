import type { Updateable } from 'kysely'
import { afterEach, describe, expect, onTestFinished, vi } from 'vitest'
import type { Tables } from '../../server/db/tables.ts'
import { schema } from '../../server/endpoints/schema.ts'
import { DAY, HOUR } from '../../server/lib/clock.ts'
import { mintSecret } from '../../server/secrets/secret.ts'
import { inOrganization } from '../support/world/fixtures.ts'
import type { Answer } from '../support/world/http.ts'
import { codesOf } from '../support/world/people.ts'
import { type Person, startWorld, type TestKey, type TestOrganization, type World } from '../support/world/world.ts'

/*
 * Rights inside the transaction. Every lookup on the way in gives an old answer here, as if the right had been lost right
 * after it: what is written must not depend on it.
 */

/** Every mutation, with ids of nothing: whoever has lost the right is told that, and not that there is no such thing. */
const MUTATIONS: Record<string, string> = {
  changeUserRole: 'changeUserRole(userId: "x", role: MEMBER) { id }',
  checkInDevice: 'checkInDevice(id: "x") { id }',
  checkInDevices: 'checkInDevices(inputs: [{ id: "x" }]) { results { error { code } } }',
  createDevice: 'createDevice(input: { name: "late" }) { id }',
  createDevices: 'createDevices(inputs: [{ name: "late" }]) { results { error { code } } }',
  createOrganization: 'createOrganization(name: "Late") { id }',
  createWebhook: 'createWebhook(input: { url: "https://example.com", events: [DEVICE_CREATED] }) { secret }',
  deleteCanaryApiKey: 'deleteCanaryApiKey(id: "x")',
  deleteDevice: 'deleteDevice(id: "x")',
  deleteDeviceView: 'deleteDeviceView(id: "x")',
  deleteDevices: 'deleteDevices(inputs: [{ id: "x" }]) { results { error { code } } }',
  deleteWebhook: 'deleteWebhook(id: "x")',
  generateApiKey: 'generateApiKey(input: { label: "late" }) { secret }',
  generateCanaryApiKey: 'generateCanaryApiKey(label: "late") { secret }',
  inviteUser: 'inviteUser(input: { email: "late@example.com" }) { link }',
  pauseApiKey: 'pauseApiKey(id: "x") { id }',
  redeliverWebhook: 'redeliverWebhook(deliveryId: "x") { id }',
  removeUser: 'removeUser(userId: "x")',
  renameApiKey: 'renameApiKey(id: "x", label: "late") { id }',
  reportLeakedApiKey: `reportLeakedApiKey(secret: "${mintSecret('emp_')}") { revoked }`,
  resumeApiKey: 'resumeApiKey(id: "x") { id }',
  revokeApiKey: 'revokeApiKey(id: "x") { ids }',
  revokeApiKeys: 'revokeApiKeys(input: { ids: ["x"] }) { ids }',
  revokeOtherSessions: 'revokeOtherSessions',
  revokeSession: 'revokeSession(id: "x")',
  rotateApiKey: 'rotateApiKey(id: "x") { secret }',
  rotateWebhookSecret: 'rotateWebhookSecret(id: "x") { secret }',
  saveDeviceView: 'saveDeviceView(input: { name: "late", search: "", shared: true }) { id }',
  setApiKeyPolicy: 'setApiKeyPolicy(input: { allowKeyManagement: true }) { maxKeys }',
  setApiKeysEnabled: 'setApiKeysEnabled(enabled: false) { id }',
  supportSetApiKeysEnabled: 'supportSetApiKeysEnabled(organizationId: "x", enabled: false) { id }',
  testWebhook: 'testWebhook(id: "x") { id }',
  updateApiKey: 'updateApiKey(id: "x", input: { access: ADMIN }) { id }',
  updateDevice: 'updateDevice(id: "x", input: { description: "late" }) { id }',
  updateDevices: 'updateDevices(inputs: [{ id: "x", enabled: true }], atomic: false) { results { error { code } } }',
  updateOrganization: 'updateOrganization(input: { name: "Late" }) { id }',
  updateProfile: 'updateProfile(name: "Late") { id }',
  updateWebhook: 'updateWebhook(id: "x", input: { enabled: true }) { id }',
  upsertDevices: 'upsertDevices(inputs: [{ name: "late" }]) { results { error { code } } }',
}
const FOR_PEOPLE = [
  'createOrganization',
  'deleteDeviceView',
  'reportLeakedApiKey',
  'revokeOtherSessions',
  'revokeSession',
  'saveDeviceView',
  'updateProfile',
  'supportSetApiKeysEnabled',
]
const NAMES = Object.keys(MUTATIONS)

interface Setting {
  world: World
  ada: Person
  acme: TestOrganization
  key: TestKey
}

const it = inOrganization(startWorld)
  .extend(
    'asKey',
    ({ world, key }): AskFor =>
      (name) =>
        world.asKey(key.secret).call(documentOf(name)),
  )
  .extend(
    'asAda',
    ({ acme }): AskFor =>
      (name) =>
        acme.call(documentOf(name)),
  )

afterEach(() => vi.restoreAllMocks())

type AskFor = (mutation: string) => Promise<Answer>

const documentOf = (name: string) => `mutation { ${MUTATIONS[name]} }`

/** From here on every lookup answers as it does now. */
async function rememberLookups(world: World, call: () => Promise<unknown>): Promise<void> {
  const spy = vi.spyOn(world.database, 'lookUp')
  await call()
  const answer = await spy.mock.results[0]?.value
  spy.mockImplementation(async () => answer)
}

/** By table and id, without anybody being asked. */
const change = <Table extends 'apiKey' | 'user'>(
  { world }: Pick<Setting, 'world'>,
  table: Table,
  id: string,
  to: Updateable<Tables[Table]>,
) =>
  world.database.transaction((db) =>
    db
      .updateTable(table as 'apiKey')
      .set(to)
      .where('id', '=', id)
      .execute(),
  )

const codesOfAll = async (names: readonly string[], call: AskFor) => {
  const codes: Record<string, string | undefined> = {}
  for (const name of names) codes[name] = codesOf(await call(name))[0]
  return codes
}
const eachOf = (names: readonly string[], code: string) => Object.fromEntries(names.map((name) => [name, code]))

it('covers every mutation', () => {
  expect(NAMES).toEqual(Object.keys(schema.getMutationType()?.getFields() ?? {}).sort())
})

describe('C12: a write by a key is authorized again inside its transaction', () => {
  const written = NAMES.filter((name) => !FOR_PEOPLE.includes(name))

  it.for<[string, string, (of: Setting) => Promise<unknown>]>([
    ['revoked', 'API_KEY_INVALID', deleteKey],
    ['expired', 'API_KEY_EXPIRED', (of) => change(of, 'apiKey', of.key.id, { expiresAt: of.world.clock.now() })],
    [
      'kept to other networks',
      'FORBIDDEN',
      (of) => change(of, 'apiKey', of.key.id, { rules: '{"networks":["10.0.0.0/8"]}' }),
    ],
    [
      'kept to other networks of its own',
      'FORBIDDEN',
      (of) => change(of, 'apiKey', of.key.id, { rules: '{"ownNetworks":["10.0.0.0/8"]}' }),
    ],
    ['C10, read-only', 'FORBIDDEN', (of) => change(of, 'apiKey', of.key.id, { rules: '{"access":"READ_ONLY"}' })],
    [
      'not accepted yet',
      'FORBIDDEN',
      (of) => change(of, 'apiKey', of.key.id, { rules: `{"notBefore":${of.world.clock.now() + 1}}` }),
    ],
    [
      'C15, paused',
      'API_KEY_PAUSED',
      (of) => change(of, 'apiKey', of.key.id, { pausedUntil: of.world.clock.now() + 1 }),
    ],
    ['of rules of a newer version', 'UNAVAILABLE', (of) => change(of, 'apiKey', of.key.id, { rulesVersion: 99 })],
    ['in want of a label', 'FORBIDDEN', (of) => change(of, 'apiKey', of.key.id, { rules: '{"unlabelled":true}' })],
  ])('%s: %s', async ([_what, code, lose], { world, ada, acme, key, asKey }) => {
    await rememberLookups(world, () => asKey('checkInDevice'))
    await lose({ world, ada, acme, key })
    expect(await codesOfAll(written, asKey)).toEqual(eachOf(written, code))
  })

  it('C11, held since a restore: KEYS_HELD, while a person goes on writing', async ({ world, asKey, asAda }) => {
    await rememberLookups(world, () => asKey('checkInDevice'))
    await setHeldSince(world, world.clock.now())
    onTestFinished(() => setHeldSince(world, null))
    expect(await codesOfAll(written, asKey)).toEqual(eachOf(written, 'KEYS_HELD'))
    vi.restoreAllMocks()
    expect(codesOf(await asAda('createDevice'))).toEqual([])
  })

  it('rejecting browsers: FORBIDDEN', async ({ world, key, asKey }) => {
    await rememberLookups(world, () => asKey('checkInDevice'))
    await change({ world }, 'apiKey', key.id, { rules: '{"noBrowser":true}' })
    const headers = {
      'content-type': 'application/json',
      'api-secret': key.secret,
      origin: 'https://elsewhere.example',
    }
    const body = JSON.stringify({ query: documentOf('createDevice') })
    const answer = await fetch(`${world.url}/graphql`, { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] })
    expect(codesOf(await asKey('createDevice'))).toEqual([]) // a script may go on
  })

  it('no longer allowed to manage keys: the same is refused as for a later request', async ({ world, key, asKey }) => {
    await rememberLookups(world, () => asKey('checkInDevice'))
    const { lookUp } = world.database
    await change({ world }, 'apiKey', key.id, { rules: '{"noKeys":true}' })
    const withOldLookup = await codesOfAll(written, asKey)
    vi.mocked(lookUp).mockRestore()
    await change({ world }, 'apiKey', key.id, { rules: '{"noKeys":true}' })
    const withFreshLookup = await codesOfAll(written, asKey)
    expect({ ...withOldLookup, createDevice: 'CONFLICT' }).toEqual(withFreshLookup)
    expect(written.filter((name) => withFreshLookup[name] === 'FORBIDDEN')).toEqual([
      'deleteCanaryApiKey',
      'generateApiKey',
      'generateCanaryApiKey',
      'pauseApiKey',
      'renameApiKey',
      'resumeApiKey',
      'revokeApiKey',
      'revokeApiKeys',
      'rotateApiKey',
      'setApiKeyPolicy',
      'setApiKeysEnabled',
      'updateApiKey',
    ])
  })

  async function setHeldSince({ database }: World, heldSince: number | null): Promise<void> {
    await database.transaction((db) => db.updateTable('revocationState').set({ heldSince }).execute())
  }

  function deleteKey({ world, key }: Setting) {
    return world.database.transaction((db) => db.deleteFrom('apiKey').where('id', '=', key.id).execute())
  }
})

describe('C12: a write by a person is authorized again inside its transaction', () => {
  const written = NAMES.filter((name) => name !== 'supportSetApiKeysEnabled')

  it.for<[string, string, (of: Setting) => Promise<unknown>]>([
    ['signed out', 'UNAUTHENTICATED', ({ world, ada }) => world.post('/auth/sign-out', {}, { cookie: ada.cookie })],
    ['at the end of the session', 'UNAUTHENTICATED', (of) => changeSessions(of, { expiresAt: of.world.clock.now() })],
    [
      'idle for too long',
      'UNAUTHENTICATED',
      (of) => changeSessions(of, { lastSeenAt: of.world.clock.now() - 12 * HOUR }),
    ],
    ['demoted', 'FORBIDDEN', (of) => changeRole(of, 'MEMBER')],
    ['removed', 'FORBIDDEN', (of) => changeRole(of, undefined)],
  ])('%s: %s', async ([_what, code, lose], { world, ada, acme, key, asAda }) => {
    await rememberLookups(world, () => asAda('checkInDevice'))
    await lose({ world, ada, acme, key })
    expect(await codesOfAll(written, asAda)).toEqual(eachOf(written, code))
  })

  it('no longer support: FORBIDDEN', async ({ world, ada, asAda }) => {
    await world.support(ada)
    await rememberLookups(world, () => asAda('checkInDevice'))
    await change({ world }, 'user', ada.userId, { support: 0 })
    expect(codesOf(await asAda('supportSetApiKeysEnabled'))).toEqual(['FORBIDDEN'])
  })

  const changeSessions = ({ world, ada }: Setting, to: { expiresAt?: number; lastSeenAt?: number }) =>
    world.database.transaction((db) => db.updateTable('session').set(to).where('userId', '=', ada.userId).execute())

  const changeRole = ({ world, ada, acme }: Setting, role: 'MEMBER' | undefined) =>
    world.database.transaction(async (db) => {
      await db.deleteFrom('membership').where('organizationId', '=', acme.id).execute()
      const row = { organizationId: acme.id, userId: ada.userId, createdAt: world.clock.now() - DAY }
      if (role)
        await db
          .insertInto('membership')
          .values({ ...row, role })
          .execute()
    })
})
