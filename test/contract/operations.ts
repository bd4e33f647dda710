import { mintSecret } from '../../server/secrets/secret.ts'
import { adminById, adminOnly, type Outcome, personOnly, read, supportOnly } from '../support/world/outcomes.ts'
import {
  aCanaryKey,
  aDelivery,
  aDevice,
  aKey,
  anInvitedPerson,
  aRevokedKey,
  aSessionOfAnother,
  aSharedView,
  aWebhook,
  fresh,
  type Maker,
  NEW_WEBHOOK,
  theOrganization,
} from './operation-variables.ts'

export interface Row {
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

/** The secret of no key. */
const UNKNOWN = mintSecret('emp_')

/** Every operation of the schema, and what each caller gets. */
export const OPERATIONS: Record<string, Row> = {
  viewer: { document: '{ viewer { role organization { id } } }', ...read },
  organization: { document: '{ organization { id } }', ...read },
  devices: { document: '{ devices { data { id } } }', ...read },
  deviceTags: { document: '{ deviceTags { tag } }', ...read },
  device: {
    document: 'query ($id: ID!) { device(id: $id) { id } }',
    variables: aDevice,
    ...read,
    foreign: 'NOT_FOUND',
    support: 'NOT_FOUND',
  },
  deviceViews: { document: '{ deviceViews { id } }', ...personOnly },
  overview: { document: '{ overview { devices { total } } }', ...read },
  users: { document: '{ users { data { id } } }', ...read },
  apiKeys: { document: '{ apiKeys { data { id } } }', ...adminOnly },
  apiKey: { document: 'query ($id: ID!) { apiKey(id: $id) { id } }', variables: aKey, ...adminById },
  apiKeyBySecret: { document: `{ apiKeyBySecret(secret: "${UNKNOWN}") { id } }`, ...personOnly, member: 'FORBIDDEN' },
  canaryApiKeys: { document: '{ canaryApiKeys { id } }', ...adminOnly },
  revokedApiKeys: { document: '{ revokedApiKeys { data { id } } }', ...adminOnly },
  apiKeyChanges: {
    document: 'query ($id: ID!) { apiKeyChanges(id: $id) { data { id } } }',
    variables: aKey,
    ...adminById,
  },
  revokedApiKey: {
    document: 'query ($id: ID!) { revokedApiKey(id: $id) { id } }',
    variables: aRevokedKey,
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
    document: `mutation { reportLeakedApiKey(secret: "${UNKNOWN}") { revoked } }`,
    ...personOnly,
  },
  generateCanaryApiKey: { document: 'mutation { generateCanaryApiKey(label: "x") { secret } }', ...adminOnly },
  deleteCanaryApiKey: {
    document: 'mutation ($id: ID!) { deleteCanaryApiKey(id: $id) }',
    variables: aCanaryKey,
    ...adminById,
  },
  webhooks: { document: '{ webhooks { id } }', ...adminOnly },
  webhook: { document: 'query ($id: ID!) { webhook(id: $id) { id } }', variables: aWebhook, ...adminById },
  createWebhook: { document: `mutation { createWebhook(${NEW_WEBHOOK}) { secret } }`, ...adminOnly },
  updateWebhook: {
    document: 'mutation ($id: ID!) { updateWebhook(id: $id, input: { enabled: false }) { id } }',
    variables: aWebhook,
    ...adminById,
  },
  deleteWebhook: {
    document: 'mutation ($id: ID!) { deleteWebhook(id: $id) }',
    variables: aWebhook,
    ...adminById,
  },
  rotateWebhookSecret: {
    document: 'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }',
    variables: aWebhook,
    ...adminById,
  },
  testWebhook: {
    document: 'mutation ($id: ID!) { testWebhook(id: $id) { id } }',
    variables: aWebhook,
    ...adminById,
  },
  redeliverWebhook: {
    document: 'mutation ($id: ID!) { redeliverWebhook(deliveryId: $id) { id } }',
    variables: aDelivery,
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
  // For many, what one may not see is said of the item.
  createDevices: {
    document: 'mutation ($fresh: String!) { createDevices(inputs: [{ name: $fresh }]) { results { device { id } } } }',
    variables: async () => ({ fresh: fresh() }),
    ...adminOnly,
  },
  upsertDevices: {
    document: 'mutation ($fresh: String!) { upsertDevices(inputs: [{ name: $fresh }]) { results { device { id } } } }',
    variables: async () => ({ fresh: fresh() }),
    ...adminOnly,
  },
  updateDevices: {
    document: 'mutation ($id: ID!) { updateDevices(inputs: [{ id: $id }]) { results { device { id } } } }',
    variables: aDevice,
    ...adminOnly,
  },
  deleteDevices: {
    document: 'mutation ($id: ID!) { deleteDevices(inputs: [{ id: $id }]) { results { device { id } } } }',
    variables: aDevice,
    ...adminOnly,
  },
  checkInDevices: {
    document: 'mutation ($id: ID!) { checkInDevices(inputs: [{ id: $id }]) { results { device { id } } } }',
    variables: aDevice,
    ...adminOnly,
  },
  saveDeviceView: {
    document: 'mutation ($fresh: String!) { saveDeviceView(input: { name: $fresh, search: "", shared: true }) { id } }',
    variables: async () => ({ fresh: fresh() }),
    ...personOnly,
    member: 'FORBIDDEN',
  },
  deleteDeviceView: {
    document: 'mutation ($id: ID!) { deleteDeviceView(id: $id) }',
    variables: aSharedView,
    ...personOnly,
    member: 'FORBIDDEN',
    support: 'NOT_FOUND',
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
