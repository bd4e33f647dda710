import { AppError } from './lib/app-error.ts'

/** How much a key may do, from the most to the least. */
export const API_KEY_ACCESSES = ['ADMIN', 'READ_ONLY', 'DEVICES', 'CHECK_IN'] as const

export type ApiKeyAccess = (typeof API_KEY_ACCESSES)[number]

type Narrowed = Exclude<ApiKeyAccess, 'ADMIN'>

const EVERY: readonly Narrowed[] = ['READ_ONLY', 'DEVICES', 'CHECK_IN']
const READING: readonly Narrowed[] = ['READ_ONLY']
const ADMIN_ONLY: readonly Narrowed[] = []

/**
 * Which accesses beside ADMIN include a root field of the schema. One that is missing here is included in none of them,
 * and fails test/contract/key-access.test.ts.
 */
const ROOT_FIELDS: Readonly<Record<string, readonly Narrowed[]>> = {
  viewer: EVERY,
  rateLimit: EVERY,
  device: EVERY,
  devices: ['READ_ONLY', 'DEVICES'],
  apiKey: READING,
  apiKeyBySecret: ADMIN_ONLY,
  apiKeyChanges: READING,
  apiKeyPolicy: READING,
  apiKeyPolicyViolations: READING,
  apiKeys: READING,
  auditEvents: READING,
  emails: READING,
  expiringApiKeys: READING,
  organization: READING,
  overview: READING,
  revokedApiKey: READING,
  revokedApiKeys: READING,
  users: READING,
  canaryApiKeys: ADMIN_ONLY, // whoever steals a key that only reads must not learn which other keys are canaries
  sessions: ADMIN_ONLY,
  supportOrganizations: ADMIN_ONLY,
  webhook: ADMIN_ONLY, // an address may contain a token, and deliveries what a narrowed key does not see
  webhooks: ADMIN_ONLY,

  checkInDevice: ['DEVICES', 'CHECK_IN'],
  checkInDevices: ['DEVICES', 'CHECK_IN'], // of a key that is bound to one device, each item is checked
  createDevice: ['DEVICES'],
  createDevices: ['DEVICES'],
  updateDevice: ['DEVICES'],
  updateDevices: ['DEVICES'],
  upsertDevices: ['DEVICES'],
  deleteDevice: ['DEVICES'],
  deleteDevices: ['DEVICES'],
  deleteCanaryApiKey: ADMIN_ONLY,
  changeUserRole: ADMIN_ONLY,
  createOrganization: ADMIN_ONLY,
  createWebhook: ADMIN_ONLY,
  deleteWebhook: ADMIN_ONLY,
  redeliverWebhook: ADMIN_ONLY,
  rotateWebhookSecret: ADMIN_ONLY,
  testWebhook: ADMIN_ONLY,
  updateWebhook: ADMIN_ONLY,
  generateApiKey: ADMIN_ONLY,
  generateCanaryApiKey: ADMIN_ONLY,
  inviteUser: ADMIN_ONLY,
  pauseApiKey: ADMIN_ONLY,
  removeUser: ADMIN_ONLY,
  renameApiKey: ADMIN_ONLY,
  reportLeakedApiKey: ADMIN_ONLY,
  resumeApiKey: ADMIN_ONLY,
  revokeApiKey: ADMIN_ONLY,
  revokeApiKeys: ADMIN_ONLY,
  revokeOtherSessions: ADMIN_ONLY,
  revokeSession: ADMIN_ONLY,
  rotateApiKey: ADMIN_ONLY,
  setApiKeyPolicy: ADMIN_ONLY,
  setApiKeysEnabled: ADMIN_ONLY,
  supportSetApiKeysEnabled: ADMIN_ONLY,
  updateApiKey: ADMIN_ONLY,
  updateOrganization: ADMIN_ONLY,
  updateProfile: ADMIN_ONLY,
}

/** The root fields whose `id` is that of the one device that a CHECK_IN key may be bound to. */
const OF_ONE_DEVICE: ReadonlySet<string> = new Set(['device', 'checkInDevice'])

/** The root fields of ADMIN that every key may call for itself, by its own id. */
const OF_ITSELF: ReadonlySet<string> = new Set(['rotateApiKey'])

export const isOpenToItself = (field: string): boolean => OF_ITSELF.has(field)

/**
 * What DEVICES and CHECK_IN see below the root fields that they include; READ_ONLY sees everything there. A field that
 * is missing here is refused to both.
 */
export const FIELDS_BELOW: Readonly<Record<string, readonly string[]>> = {
  Viewer: ['apiKey', 'emailVerified', 'organization', 'organizations', 'role', 'support', 'user'],
  Organization: ['apiKeysEnabled', 'createdAt', 'id', 'kind', 'name', 'slug'],
  /** Its own key: what is in its row, and how it is used; no other key and no person. */
  ApiKey: [
    'access',
    'allowedNetworks',
    'createdAt',
    'createdBy',
    'device',
    'deviceId',
    'expired',
    'expiresAt',
    'id',
    'label',
    'lastUsedAt',
    'lastUsedIp',
    'lastUsedOperation',
    'lastUsedUserAgent',
    'notBefore',
    'paused',
    'pausedAt',
    'pausedUntil',
    'prefix',
    'recentUsage',
    'requestsPerDay',
    'requestsPerSecond',
    'usage',
  ],
  /** Only as the `user` of the viewer, which is null for a key. */
  User: ['createdAt', 'email', 'id', 'invited', 'name', 'role'],
  Actor: ['id', 'kind', 'name'],
  ApiKeyRecentUsage: [
    'addresses',
    'calls',
    'errors',
    'operations',
    'otherAddressCalls',
    'otherOperationCalls',
    'otherUserAgentCalls',
    'userAgents',
  ],
  ApiKeyUsage: ['at', 'calls', 'errors'],
  UsageCount: ['calls', 'value'],
  RateLimit: ['cost', 'limit', 'remaining', 'resetAt'],
  Device: [
    'createdAt',
    'description',
    'enabled',
    'firmwareVersion',
    'id',
    'lastSeenAt',
    'location',
    'name',
    'status',
    'tags',
    'updatedAt',
  ],
  DeviceResult: ['device', 'error', 'errors'],
  DeviceResults: ['results'],
  ItemError: ['code', 'field', 'message'],
  DeviceList: ['data', 'pageInfo', 'totalCount'],
  Location: ['address', 'latitude', 'longitude', 'name', 'timeZone'],
  PageInfo: ['endCursor', 'hasNextPage'],
}

/** The root field that is in progress, as far as the access of a key depends on it. */
export interface RootCall {
  field: string
  /** Its argument of this name, if it has one. */
  id?: unknown
}

/** How far a key may go. */
export interface KeyAccess {
  access: ApiKeyAccess
  /** Of CHECK_IN: no other device. */
  deviceId: string | undefined
}

/** The accesses that include a root field, from the most to the least. */
export const accessesFor = (field: string): ApiKeyAccess[] => [
  'ADMIN',
  ...((Object.hasOwn(ROOT_FIELDS, field) && ROOT_FIELDS[field]) || ADMIN_ONLY),
]

/** Whether this access includes a root field. */
export const includes = (access: ApiKeyAccess, field: string): boolean => accessesFor(field).includes(access)

/** Whether it includes a field below a root field that it includes. */
export const includesBelow = (access: ApiKeyAccess, type: string, field: string): boolean =>
  access === 'ADMIN' || access === 'READ_ONLY' || (FIELDS_BELOW[type]?.includes(field) ?? false)

/** The same for a name as usage has it: that of a root field, or `Type.field`. */
export function includesField(access: ApiKeyAccess, name: string): boolean {
  const [type = '', field] = name.split('.')
  return field === undefined ? includes(access, name) : includesBelow(access, type, field)
}

/** Of the names of fields, those that the access includes: a key has not used the others. */
export const fieldsWithin = (access: ApiKeyAccess, fields: readonly string[]): readonly string[] =>
  access === 'ADMIN' ? fields : fields.filter((field) => isOpenToItself(field) || includesField(access, field))

/** The accesses that include nothing which this one does not include, from the least to the most. */
export const NARROWER: Readonly<Record<ApiKeyAccess, readonly Narrowed[]>> = {
  ADMIN: ['CHECK_IN', 'READ_ONLY', 'DEVICES'],
  READ_ONLY: [],
  DEVICES: ['CHECK_IN'],
  CHECK_IN: [],
}

/** Every root field that is decided about. */
export const decidedFields = (): string[] => Object.keys(ROOT_FIELDS)

/**
 * Throws if this access does not include the root field, and the key of this id may not call it for itself either.
 * Without a known root field nothing but ADMIN will do.
 */
export function requireAccess({ access, deviceId }: KeyAccess, call: RootCall | undefined, keyId?: string): void {
  if (access === 'ADMIN') return
  if (call && keyId !== undefined && isOpenToItself(call.field) && call.id === keyId) return
  if (!call || !includes(access, call.field)) {
    throw notIncluded(access, call?.field ?? 'this', call ? accessesFor(call.field) : ['ADMIN'])
  }
  if (deviceId === undefined || !OF_ONE_DEVICE.has(call.field)) return
  if (call.id == null || call.id === deviceId) return // without an id it is the device of the key
  throw new AppError('FORBIDDEN', {
    message:
      'This API key is bound to one device, and this is another one. Ask an Admin for a key of this device, or for one that is bound to none.',
  })
}

/** The same for a field below, by its type and name. */
export function requireAccessBelow({ access }: KeyAccess, field: string): void {
  if (access === 'ADMIN' || access === 'READ_ONLY') return
  throw notIncluded(access, field, ['ADMIN', 'READ_ONLY'])
}

function notIncluded(access: ApiKeyAccess, field: string, accesses: readonly ApiKeyAccess[]): AppError {
  const included = isOpenToItself(field) ? `${field} for another key than itself` : field
  return new AppError('FORBIDDEN', {
    message: `The access of this API key is ${access}, which does not include ${included}. Ask an Admin for a key with the access ${accesses.toReversed().join(' or ')}.`,
  })
}
