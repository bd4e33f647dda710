import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { describe, expect } from 'vitest'
import { type ApiKeyAccess, type FieldAccess, includes, requireAccess } from '../../server/caller/key-rules.ts'
import { schema } from '../../server/endpoints/schema.ts'
import { accessNamed, accessOf, isRoot, typesForDevices } from '../../server/graphql/field-access.ts'
import { inWorld } from '../support/world/fixtures.ts'
import type { Answer } from '../support/world/http.ts'
import { codesOf, fieldOf } from '../support/world/people.ts'
import { startWorld } from '../support/world/world.ts'

const NARROWED = ['READ_ONLY', 'DEVICES', 'CHECK_IN'] as const
type Narrowed = (typeof NARROWED)[number]

const EVERY = NARROWED
const READING = ['READ_ONLY'] as const
const NONE = [] as const

/** Every operation of the schema, with the accesses beside ADMIN that include it. */
const TABLE: Record<string, readonly Narrowed[]> = {
  apiKey: READING,
  apiKeyBySecret: NONE,
  apiKeyChanges: READING,
  apiKeyPolicy: READING,
  apiKeyPolicyViolations: READING,
  apiKeys: READING,
  auditEvents: READING,
  canaryApiKeys: NONE,
  device: EVERY,
  deviceTags: ['READ_ONLY', 'DEVICES'],
  deviceViews: NONE,
  devices: ['READ_ONLY', 'DEVICES'],
  emails: READING,
  expiringApiKeys: READING,
  organization: READING,
  overview: READING,
  rateLimit: EVERY,
  revokedApiKey: READING,
  revokedApiKeys: READING,
  sessions: NONE,
  supportOrganizations: NONE,
  users: READING,
  viewer: EVERY,
  webhook: NONE,
  webhooks: NONE,

  changeUserRole: NONE,
  checkInDevice: ['DEVICES', 'CHECK_IN'],
  checkInDevices: ['DEVICES', 'CHECK_IN'],
  createDevice: ['DEVICES'],
  createDevices: ['DEVICES'],
  createOrganization: NONE,
  createWebhook: NONE,
  deleteWebhook: NONE,
  redeliverWebhook: NONE,
  rotateWebhookSecret: NONE,
  testWebhook: NONE,
  updateWebhook: NONE,
  deleteCanaryApiKey: NONE,
  deleteDeviceView: NONE,
  saveDeviceView: NONE,
  deleteDevice: ['DEVICES'],
  deleteDevices: ['DEVICES'],
  generateApiKey: NONE,
  generateCanaryApiKey: NONE,
  inviteUser: NONE,
  pauseApiKey: NONE,
  removeUser: NONE,
  renameApiKey: NONE,
  reportLeakedApiKey: NONE,
  resumeApiKey: NONE,
  revokeApiKey: NONE,
  revokeApiKeys: NONE,
  revokeOtherSessions: NONE,
  revokeSession: NONE,
  rotateApiKey: NONE,
  setApiKeyPolicy: NONE,
  setApiKeysEnabled: NONE,
  supportSetApiKeysEnabled: NONE,
  updateApiKey: NONE,
  updateDevice: ['DEVICES'],
  updateDevices: ['DEVICES'],
  upsertDevices: ['DEVICES'],
  updateOrganization: NONE,
  updateProfile: NONE,
}

/** What DEVICES and CHECK_IN do not see below the fields that they include. */
const REFUSED_BELOW = {
  'ApiKey.descendants': '{ viewer { apiKey { descendants { totalCount } } } }',
  'ApiKey.invitedUsers': '{ viewer { apiKey { invitedUsers { totalCount } } } }',
  'ApiKey.pausedBy': '{ viewer { apiKey { pausedBy { name } } } }',
  'ApiKey.policy': '{ viewer { apiKey { policy { allowedNetworks } } } }',
  'ApiKey.recentCalls': '{ viewer { apiKey { recentCalls { accepted { at } } } } }',
  'ApiKey.refusedWhilePaused': '{ viewer { apiKey { refusedWhilePaused { calls } } } }',
  'ApiKey.replacedBy': '{ viewer { apiKey { replacedBy { label } } } }',
  'ApiKey.replaces': '{ viewer { apiKey { replaces { label } } } }',
  'ApiKey.suggestedAccess': '{ viewer { apiKey { suggestedAccess { access } } } }',
  'ApiKey.usedFields': '{ viewer { apiKey { usedFields { field } } } }',
  'Organization.activeApiKeyCount': '{ viewer { organizations { activeApiKeyCount } } }',
  'Organization.apiKeysHeldSince': '{ viewer { organization { apiKeysHeldSince } } }',
}

/** The types that they see anything of. */
const REACHED = [
  'Actor',
  'ApiKey',
  'ApiKeyRecentUsage',
  'ApiKeyUsage',
  'Device',
  'DeviceCheckInDay',
  'DeviceList',
  'DeviceResult',
  'DeviceResults',
  'DeviceTag',
  'GeneratedApiKey', // the result when a key rotates itself
  'ItemError',
  'Location',
  'Organization',
  'PageInfo',
  'RateLimit',
  'UsageCount',
  'User',
  'Viewer',
]

const fieldsOf = (type: 'Query' | 'Mutation') =>
  (type === 'Query' ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {}

const FILLERS: Record<string, string> = { Boolean: 'false', Int: '1', Role: 'MEMBER' }
const filler = ({ type }: GraphQLArgument) => {
  const name = getNamedType(type).name
  if (name === 'CreateDeviceInput') return '{ name: "late" }'
  if (name.endsWith('DevicesInput')) return '{ id: "x" }'
  if (name === 'CreateWebhookInput') return '{ url: "https://hooks.example", events: [DEVICE_CREATED] }'
  if (name === 'InviteUserInput') return '{ email: "late@example.com" }'
  if (name === 'SaveDeviceViewInput') return '{ name: "late", search: "" }'
  return name.endsWith('Input') ? '{}' : (FILLERS[name] ?? '"x"')
}

function documentOf(name: string): string {
  const isQuery = name in fieldsOf('Query')
  const field: GraphQLField<unknown, unknown> | undefined = fieldsOf(isQuery ? 'Query' : 'Mutation')[name]
  if (!field) throw new Error(`No field ${name}.`)
  const args = field.args.filter(({ type }) => isNonNullType(type)).map((arg) => `${arg.name}: ${filler(arg)}`)
  const selection = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : ''
  return `${isQuery ? 'query' : 'mutation'} { ${name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selection} }`
}

const it = inWorld(startWorld).extend('as', { scope: 'file' }, async ({ world, acme }) => {
  const callOf = async (access: Narrowed) => world.asKey((await acme.generateKey({ access })).secret).call
  return { READ_ONLY: await callOf('READ_ONLY'), DEVICES: await callOf('DEVICES'), CHECK_IN: await callOf('CHECK_IN') }
})

describe('C10: every operation of the schema, by the access of a key', () => {
  it('is decided here and in the code, and no name is in both Query and Mutation', () => {
    const names = [...Object.keys(fieldsOf('Query')), ...Object.keys(fieldsOf('Mutation'))].sort()
    expect(names).toEqual([...new Set(names)])
    expect(Object.keys(TABLE).sort()).toEqual(names)
  })

  it.for(Object.entries(TABLE))('%s', async ([name, open], { as }) => {
    expect(NARROWED.filter((access) => includes(access, accessNamed(schema, name)))).toEqual(open)
    for (const access of NARROWED) {
      const { status, errors } = await as[access](documentOf(name))
      if (open.includes(access)) {
        expect(codesOf({ errors } as Answer), access).not.toContain('FORBIDDEN')
        continue
      }
      expect([status, errors], access).toMatchObject([200, [{ code: 'FORBIDDEN', path: [name] }]])
      expect(errors[0]?.message).toBe(
        `The access of this API key is ${access}, which does not include ${name}${name === 'rotateApiKey' ? ' for another key than itself' : ''}. Ask an Admin for a key with the access ${[...open.toReversed(), 'ADMIN'].join(' or ')}.`,
      )
    }
  })

  it('one that nobody has decided about is included in ADMIN alone, and so is a write outside of any', () => {
    const requireFor = (access: ApiKeyAccess, field: FieldAccess | undefined) =>
      requireAccess({ access, deviceId: undefined }, field && { field, id: 'x' }, 'x')
    for (const name of ['brandNew', 'constructor', 'toString', '__proto__', 'Device.brandNew', 'Nothing.id']) {
      const field = accessNamed(schema, name)
      expect(field).toEqual({ name, accesses: [] })
      for (const access of NARROWED) expect(() => requireFor(access, field)).toThrow(/does not include/)
    }
    for (const access of NARROWED) expect(() => requireFor(access, undefined)).toThrow(/does not include/)
    expect(() => requireFor('ADMIN', undefined)).not.toThrow()
  })

  it.for(NARROWED)('introspection is open to %s', async (access, { as }) => {
    const answer = await as[access]('{ __typename __schema { queryType { name } } __type(name: "Device") { name } }')
    expect(answer.data).toMatchObject({ __typename: 'Query', __type: { name: 'Device' } })
  })
})

describe('C10: below the root, DEVICES and CHECK_IN see devices, themselves and nothing else', () => {
  const reached = [...typesForDevices(schema)]

  /** The fields of a type that an access includes. */
  const open = (access: Narrowed, type: GraphQLObjectType) =>
    Object.values(type.getFields())
      .filter((field) => includes(access, accessOf(type, field)))
      .map(({ name }) => name)

  it('every field that they reach is decided, for both alike, and READ_ONLY sees all of them', () => {
    expect(reached.map(({ name }) => name).sort()).toEqual(REACHED)
    const refused = reached.flatMap((type) =>
      Object.keys(type.getFields())
        .filter((field) => !open('DEVICES', type).includes(field))
        .map((field) => `${type.name}.${field}`),
    )
    expect(refused.sort()).toEqual(Object.keys(REFUSED_BELOW).sort())
    for (const type of reached) {
      expect(open('CHECK_IN', type)).toEqual(open('DEVICES', type))
      expect(open('READ_ONLY', type)).toEqual(Object.keys(type.getFields()))
    }
  })

  it('what they do not reach is not open to them, in case somebody leads there', () => {
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) || isIntrospectionType(type) || isRoot(type) || reached.includes(type)) continue
      expect([type.name, open('DEVICES', type), open('CHECK_IN', type)]).toEqual([type.name, [], []])
      expect(open('READ_ONLY', type)).toEqual(Object.keys(type.getFields()))
    }
  })

  it.for(Object.entries(REFUSED_BELOW))('%s', async ([name, document], { as }) => {
    for (const access of ['DEVICES', 'CHECK_IN'] as const) {
      for (let time = 0; time < 2; time++) {
        const { errors } = await as[access](document)
        expect(errors, access).toMatchObject([{ code: 'FORBIDDEN' }])
        expect(errors[0]?.message).toContain(`is ${access}, which does not include ${name}.`)
        expect(errors[0]?.path?.join('.')).toMatch(/^viewer\./)
      }
    }
    expect(codesOf(await as.READ_ONLY(document))).toEqual([])
  })

  it.for(['DEVICES', 'CHECK_IN'] as const)('%s sees all that it may see of itself', async (access, { as }) => {
    const fieldsOfType = (name: string) => reached.flatMap((type) => (type.name === name ? open(access, type) : []))
    const objects = ['createdBy', 'device', 'recentUsage', 'usage']
    const own = fieldsOfType('ApiKey').filter((field) => !objects.includes(field))
    const answer = await as[access](
      `{ viewer { role organization { ${fieldsOfType('Organization').join(' ')} } user { email }
        apiKey { ${own.join(' ')} createdBy { kind name } device { id } usage { calls } recentUsage { calls } } } }`,
    )
    expect(fieldOf(answer)).toMatchObject({ role: 'ADMIN', user: null, apiKey: { access, createdBy: { name: 'Ada' } } })
  })
})

describe('C10: however it is written', () => {
  const DOCUMENTS: [string, string, (string | number)[]][] = [
    ['under an alias', 'mutation { checkInDevice: generateApiKey { secret } }', ['checkInDevice']],
    ['in a fragment', 'mutation { ...F } fragment F on Mutation { generateApiKey { secret } }', ['generateApiKey']],
    ['in an inline fragment', 'mutation { ... on Mutation { ... { generateApiKey { secret } } } }', ['generateApiKey']],
    ['with a directive', 'mutation { generateApiKey @include(if: true) { secret } }', ['generateApiKey']],
    ['named otherwise', 'mutation checkInDevice { generateApiKey { secret } }', ['generateApiKey']],
  ]

  it.for(DOCUMENTS)('%s', async ([_how, document, path], { world, as, acme }) => {
    const keys = () =>
      world.database.read.selectFrom('apiKey').select('id').where('organizationId', '=', acme.id).execute()
    const before = (await keys()).length
    for (let time = 0; time < 2; time++) {
      for (const access of NARROWED)
        expect((await as[access](document)).errors, access).toMatchObject([{ code: 'FORBIDDEN', path }])
    }
    expect((await keys()).length).toBe(before)
  })

  it('beside others, which are answered', async ({ as }) => {
    const document = `mutation ($name: String!) {
      first: createDevice(input: { name: $name }) { name } second: generateApiKey { secret } third: createDevice(input: { name: "third" }) { name } }`
    const { data, errors } = await as.DEVICES(document, { name: 'first' })
    expect(data).toEqual({ first: { name: 'first' }, second: null, third: { name: 'third' } })
    expect(errors).toMatchObject([{ code: 'FORBIDDEN', path: ['second'] }])
  })

  it('by GET, and with another media type', async ({ world, acme }) => {
    const { secret } = await acme.generateKey({ access: 'DEVICES' })
    const query = encodeURIComponent('{ devices { totalCount } apiKeys { totalCount } }')
    const headers = { 'api-secret': secret, accept: 'application/graphql-response+json' }
    const answer = await fetch(`${world.url}/graphql?query=${query}`, { headers })
    expect(await answer.json()).toMatchObject({ errors: [{ path: ['apiKeys'], extensions: { code: 'FORBIDDEN' } }] })
  })
})
