import { describe, expect } from 'vitest'
import { schema } from '../../server/schema.ts'
import { expectNoSecretInAuditLog } from '../support/audit-secrets.ts'
import { inWorld } from '../support/fixtures.ts'
import type { Answer } from '../support/http.ts'
import { adminById, adminOnly, type Outcome, personOnly, read, supportOnly } from '../support/outcomes.ts'
import { type Call, fieldOf, invited, supportStaff } from '../support/people.ts'
import { signedOut } from '../support/signed-out.ts'
import { type Person, startWorld, type TestOrganization } from '../support/world.ts'

/** What an operation works on, made anew in the organization for every try. */
type Maker = (of: Setting) => Promise<Record<string, string>>

interface Setting {
  acme: TestOrganization
  stranger: Person
}

type Caller =
  | 'admin'
  | 'member'
  | 'stranger'
  | 'key'
  | 'foreign'
  | 'revoked'
  | 'supportHere'
  | 'support'
  | 'withoutKey'
  | 'signedOut'
type Callers = Record<Caller, Call>

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
  apiKeyBySecret: {
    document: 'query ($secret: String!) { apiKeyBySecret(secret: $secret) { id } }',
    variables: aSecret,
    ...personOnly,
    member: 'FORBIDDEN',
  },
  canaryApiKeys: { document: '{ canaryApiKeys { id } }', ...adminOnly },
  revokedApiKeys: { document: '{ revokedApiKeys { data { id } } }', ...adminOnly },
  apiKeyChanges: {
    document: 'query ($id: ID!) { apiKeyChanges(id: $id) { data { id } } }',
    variables: theKey,
    ...adminById,
  },
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
  updateApiKey: {
    document: 'mutation ($id: ID!) { updateApiKey(id: $id, input: { access: READ_ONLY }) { id } }',
    variables: aKey,
    ...adminById,
  },
  pauseApiKey: {
    document: 'mutation ($id: ID!) { pauseApiKey(id: $id) { id } }',
    variables: aKey,
    ...adminById,
  },
  resumeApiKey: {
    document: 'mutation ($id: ID!) { resumeApiKey(id: $id) { id } }',
    variables: aKey,
    ...adminById,
  },
  revokeApiKey: {
    document: 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }',
    variables: aKey,
    ...adminById,
  },
  reportLeakedApiKey: {
    document: 'mutation ($secret: String!) { reportLeakedApiKey(secret: $secret) { revoked } }',
    variables: aSecret,
    ...personOnly,
  },
  generateCanaryApiKey: { document: 'mutation { generateCanaryApiKey(label: "x") { secret } }', ...adminOnly },
  deleteCanaryApiKey: {
    document: 'mutation ($id: ID!) { deleteCanaryApiKey(id: $id) }',
    variables: aCanaryKey,
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

const it = inWorld(startWorld)
  .extend('stranger', { scope: 'file' }, ({ world }) => world.signUp('Stranger'))
  .extend('support', { scope: 'file' }, async ({ world }) => {
    const support = await supportStaff(world, 'Support')
    await support.call('mutation { setApiKeysEnabled(enabled: true) { id } }') // on her personal account
    return support
  })
  .extend('foreign', { scope: 'file' }, async ({ world, stranger }) =>
    (await world.organization('Elsewhere', { admin: stranger })).generateKey(),
  )
  .extend('revoked', { scope: 'file' }, async ({ acme }) => {
    const revoked = await acme.generateKey()
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: revoked.id })
    return revoked
  })
  .extend(
    'callers',
    { scope: 'file' },
    ({ world, acme, bob, stranger, support, key, foreign, revoked }): Callers => ({
      admin: acme.call,
      member: (document, vars) => bob.call(document, vars, acme.slug),
      stranger: (document, vars) => stranger.call(document, vars, acme.slug),
      key: world.asKey(key.secret).call,
      foreign: world.asKey(foreign.secret).call,
      revoked: world.asKey(revoked.secret).call,
      supportHere: (document, vars) => support.call(document, vars, acme.slug),
      support: support.call,
      withoutKey: world.nobody().call,
      signedOut: (document, vars) => signedOut(world, document, vars),
    }),
  )

let count = 0

function fresh(): string {
  return `thing-${++count}`
}

async function aDevice({ acme }: Setting) {
  const create = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
  return { id: fieldOf<{ id: string }>(await acme.call(create, { name: fresh() })).id }
}

async function aKey({ acme }: Setting) {
  const { id } = await acme.generateKey()
  return { id }
}

async function aSecret({ acme }: Setting) {
  const { secret } = await acme.generateKey()
  return { secret }
}

async function aCanaryKey({ acme }: Setting) {
  const generate = 'mutation { generateCanaryApiKey(label: "x") { canaryApiKey { id } } }'
  return { id: fieldOf<{ canaryApiKey: { id: string } }>(await acme.call(generate)).canaryApiKey.id }
}

let keyToRead: ReturnType<typeof aKey> | undefined

/** The same one for every try: an organization has 100 keys at most. */
function theKey(setting: Setting) {
  keyToRead ??= aKey(setting)
  return keyToRead
}

async function anInvitedPerson({ acme }: Setting) {
  const { user } = await invited(acme.call, { email: `${fresh()}@example.com` })
  return { id: user.id }
}

async function aSessionOfAnother({ stranger }: Setting) {
  const sessions = fieldOf<{ id: string }[]>(await stranger.call('{ sessions { id } }'))
  return { id: sessions[0]?.id ?? '' }
}

async function theOrganization({ acme }: Setting) {
  return { id: acme.id }
}

const outcome = ({ errors }: Answer) => errors[0]?.code ?? 'ok'

it('every operation of the schema is tested here', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  )
  expect(Object.keys(OPERATIONS).sort()).toEqual(fields.sort())
})

describe.for(Object.entries(OPERATIONS))('%s', ([_name, { document, variables = async () => ({}), ...expected }]) => {
  it.for<[string, Caller, string]>([
    ['K2: an Admin', 'admin', expected.admin],
    ['K2: a Member', 'member', expected.member],
    ['A3: a stranger, at this organization', 'stranger', 'NOT_FOUND'],
    ['K6: a key', 'key', expected.key],
    ['A3: a key of another organization', 'foreign', expected.foreign],
    ['A5: a revoked key', 'revoked', 'API_KEY_INVALID'],
    ['support, at this organization', 'supportHere', 'NOT_FOUND'],
    ['support, in the own account', 'support', expected.support],
    ['A2: nobody, without a key', 'withoutKey', 'UNAUTHENTICATED'],
    ['nobody, signed out', 'signedOut', 'UNAUTHENTICATED'],
  ])('%s', async ([_who, caller, wanted], { acme, stranger, callers }) => {
    const vars = await variables({ acme, stranger })
    expect(outcome(await callers[caller](document, vars))).toBe(wanted)
  })
})

it('C8: after every operation by every caller, the audit log holds no secret, no password and no hash', ({ world }) =>
  expectNoSecretInAuditLog(world))
