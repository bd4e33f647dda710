import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../server/schema.ts'
import type { Answer } from '../support/http.ts'
import { type Person, startWorld, type TestKey, type TestOrganization, type World } from '../support/world.ts'

type Outcome = 'ok' | 'FORBIDDEN' | 'NOT_FOUND' | 'BAD_USER_INPUT'

/** What an operation works on, made anew in the organization for every try. */
type Maker = () => Promise<Record<string, string>>

interface Row {
  document: string
  variables?: Maker
  admin: Outcome
  member: Outcome
  key: Outcome
  /** A key of another organization, with the ids of this one. */
  foreign: Outcome
  /** Support staff, in their own account. */
  support: Outcome
}

const read = { admin: 'ok', member: 'ok', key: 'ok', foreign: 'ok', support: 'ok' } as const
const adminOnly = { admin: 'ok', member: 'FORBIDDEN', key: 'ok', foreign: 'ok', support: 'ok' } as const
const personOnly = { admin: 'ok', member: 'ok', key: 'FORBIDDEN', foreign: 'FORBIDDEN', support: 'ok' } as const
const supportOnly = {
  admin: 'FORBIDDEN',
  member: 'FORBIDDEN',
  key: 'FORBIDDEN',
  foreign: 'FORBIDDEN',
  support: 'ok',
} as const
const adminById = { ...adminOnly, foreign: 'NOT_FOUND', support: 'NOT_FOUND' } as const

const OPERATIONS: Record<string, Row> = {
  viewer: { document: '{ viewer { role organization { id } } }', ...read },
  organization: { document: '{ organization { id } }', ...read },
  devices: { document: '{ devices { data { id } } }', ...read },
  device: {
    document: 'query ($id: ID!) { device(id: $id) { id } }',
    variables: aDevice,
    ...read,
    foreign: 'NOT_FOUND',
    support: 'NOT_FOUND',
  },
  users: { document: '{ users { data { id } } }', ...read },
  apiKeys: { document: '{ apiKeys { data { id } } }', ...adminOnly },
  apiKey: { document: 'query ($id: ID!) { apiKey(id: $id) { id } }', variables: aKey, ...adminById },
  apiKeyPolicy: { document: '{ apiKeyPolicy { maxKeys } }', ...adminOnly },
  apiKeyPolicyViolations: { document: '{ apiKeyPolicyViolations(input: { maxKeys: 1 }) { rule } }', ...adminOnly },
  expiringApiKeys: { document: '{ expiringApiKeys { daysLeft } }', ...adminOnly },
  emails: { document: '{ emails { data { id } } }', ...adminOnly },
  auditEvents: { document: '{ auditEvents { data { id } } }', ...adminOnly },
  rateLimit: { document: '{ rateLimit { cost } }', ...read },
  supportOrganizations: { document: '{ supportOrganizations { data { id } } }', ...supportOnly },
  sessions: { document: '{ sessions { id } }', ...personOnly },

  generateApiKey: { document: 'mutation { generateApiKey { secret } }', ...adminOnly },
  renameApiKey: {
    document: 'mutation ($id: ID!) { renameApiKey(id: $id, label: "x") { id } }',
    variables: aKey,
    ...adminById,
  },
  revokeApiKey: {
    document: 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }',
    variables: aKey,
    ...adminById,
  },
  setApiKeyPolicy: {
    document: 'mutation { setApiKeyPolicy(input: { maxLifetimeDays: null }) { maxLifetimeDays } }',
    ...adminOnly,
  },
  rotateApiKey: {
    document: 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }',
    variables: aKey,
    ...adminById,
  },
  revokeApiKeys: {
    document: 'mutation ($id: ID!) { revokeApiKeys(input: { ids: [$id] }) { ids } }',
    variables: aKey,
    ...adminById,
  },
  setApiKeysEnabled: { document: 'mutation { setApiKeysEnabled(enabled: true) { id } }', ...adminOnly },
  createDevice: {
    document: 'mutation ($fresh: String!) { createDevice(input: { name: $fresh }) { id } }',
    variables: async () => ({ fresh: fresh() }),
    ...adminOnly,
  },
  updateDevice: {
    document: 'mutation ($id: ID!) { updateDevice(id: $id, input: { description: "x" }) { id } }',
    variables: aDevice,
    ...adminById,
  },
  deleteDevice: {
    document: 'mutation ($id: ID!) { deleteDevice(id: $id) }',
    variables: aDevice,
    ...adminById,
  },
  checkInDevice: {
    document: 'mutation ($id: ID!) { checkInDevice(id: $id) { id } }',
    variables: aDevice,
    ...adminById,
  },
  inviteUser: {
    document: 'mutation ($email: String!) { inviteUser(input: { email: $email }) { link } }',
    variables: async () => ({ email: `${fresh()}@example.com` }),
    ...adminOnly,
    support: 'FORBIDDEN',
  },
  changeUserRole: {
    document: 'mutation ($id: ID!) { changeUserRole(userId: $id, role: MEMBER) { id } }',
    variables: anInvitedPerson,
    ...adminById,
  },
  removeUser: {
    document: 'mutation ($id: ID!) { removeUser(userId: $id) }',
    variables: anInvitedPerson,
    ...adminById,
  },
  updateOrganization: { document: 'mutation { updateOrganization(input: { name: "Acme" }) { id } }', ...adminOnly },
  createOrganization: { document: 'mutation { createOrganization(name: "Mine") { id } }', ...personOnly },
  updateProfile: { document: 'mutation { updateProfile(name: "Me") { id } }', ...personOnly },
  supportSetApiKeysEnabled: {
    document: 'mutation ($id: ID!) { supportSetApiKeysEnabled(organizationId: $id, enabled: true) { id } }',
    variables: theOrganization,
    ...supportOnly,
  },
  revokeSession: {
    document: 'mutation ($id: ID!) { revokeSession(id: $id) }',
    variables: aSessionOfAnother,
    ...personOnly,
    admin: 'NOT_FOUND',
    member: 'NOT_FOUND',
    support: 'NOT_FOUND',
  },
  revokeOtherSessions: { document: 'mutation { revokeOtherSessions }', ...personOnly },
}

let world: World
let admin: Person
let member: Person
let stranger: Person
let support: Person
let acme: TestOrganization
let elsewhere: TestOrganization
let key: TestKey
let foreign: TestKey
let revoked: TestKey
let count = 0

beforeAll(async () => {
  world = await startWorld()
  ;[admin, member, stranger, support] = [
    await world.signUp('Admin'),
    await world.signUp('Member'),
    await world.signUp('Stranger'),
    await world.signUp('Support'),
  ]
  acme = await world.organization('Acme', { admin })
  elsewhere = await world.organization('Elsewhere', { admin: stranger })
  await world.join(acme, member, 'MEMBER')
  await world.support(support)
  await support.call('mutation { setApiKeysEnabled(enabled: true) { id } }') // on her personal account
  key = await world.generateKey(admin, acme)
  foreign = await world.generateKey(stranger, elsewhere)
  revoked = await world.generateKey(admin, acme)
  await admin.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: revoked.id }, acme.slug)
})
afterAll(() => world.close())

function fresh(): string {
  return `thing-${++count}`
}

async function aDevice() {
  const create = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
  const { data } = await admin.call(create, { name: fresh() }, acme.slug)
  return { id: (data as { createDevice: { id: string } }).createDevice.id }
}

async function aKey() {
  const { id } = await world.generateKey(admin, acme)
  return { id }
}

async function anInvitedPerson() {
  const invite = 'mutation ($email: String!) { inviteUser(input: { email: $email }) { user { id } } }'
  const { data } = await admin.call(invite, { email: `${fresh()}@example.com` }, acme.slug)
  return { id: (data as { inviteUser: { user: { id: string } } }).inviteUser.user.id }
}

async function aSessionOfAnother() {
  const { data } = await stranger.call('{ sessions { id } }')
  return { id: (data as { sessions: { id: string }[] }).sessions[0]?.id ?? '' }
}

async function theOrganization() {
  return { id: acme.id }
}

const outcome = ({ errors }: Answer) => errors[0]?.code ?? 'ok'

it('every operation of the schema is tested here', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  )
  expect(Object.keys(OPERATIONS).sort()).toEqual(fields.sort())
})

describe.each(Object.entries(OPERATIONS))('%s', (_name, { document, variables = async () => ({}), ...expected }) => {
  const tries: [string, () => Promise<Answer>, string][] = []
  const ask = (who: string, call: (vars: object) => Promise<Answer>, wanted: string) =>
    tries.push([who, async () => call(await variables()), wanted])

  ask('K2: an Admin', (vars) => admin.call(document, vars, acme.slug), expected.admin)
  ask('K2: a Member', (vars) => member.call(document, vars, acme.slug), expected.member)
  ask('A3: a stranger, at this organization', (vars) => stranger.call(document, vars, acme.slug), 'NOT_FOUND')
  ask('K6: a key', (vars) => world.asKey(key.secret).call(document, vars), expected.key)
  ask('A3: a key of another organization', (vars) => world.asKey(foreign.secret).call(document, vars), expected.foreign)
  ask('A5: a revoked key', (vars) => world.asKey(revoked.secret).call(document, vars), 'API_KEY_INVALID')
  ask('support, at this organization', (vars) => support.call(document, vars, acme.slug), 'NOT_FOUND')
  ask('support, in the own account', (vars) => support.call(document, vars), expected.support)
  ask('A2: nobody, without a key', (vars) => world.nobody().call(document, vars), 'UNAUTHENTICATED')
  ask('nobody, signed out', (vars) => signedOut(document, vars), 'UNAUTHENTICATED')

  it.each(tries)('%s', async (_who, attempt, wanted) => {
    expect(outcome(await attempt())).toBe(wanted)
  })
})

async function signedOut(query: string, variables: object): Promise<Answer> {
  const { status, body, headers } = await world.post('/portal/graphql', { query, variables })
  const { data, errors = [] } = body as { data?: unknown; errors?: { message: string; extensions: { code: string } }[] }
  return { status, data, headers, errors: errors.map((error) => ({ ...error, code: error.extensions.code })) }
}
