import type { Kysely } from 'kysely'
import type {
  ApiKeyCallLogTable,
  ApiKeyUsageDayTable,
  ApiKeyUsageTable,
  PauseColumns,
  RevokedApiKeyTable,
} from './api-key-tables.ts'
import type { ActorKind, AuditEventTable } from './audit-event-table.ts'
import type { DeviceViewTable } from './device-view-table.ts'
import type { EmailTable } from './email-table.ts'
import type { RevocationStateTable, RevocationTable } from './revocation-tables.ts'
import type { StoredBytesTable } from './stored-bytes-table.ts'
import type { WebhookDeliveryTable, WebhookEventTable, WebhookProgressTable, WebhookTable } from './webhook-tables.ts'

/** In types that both databases share: text, integer milliseconds since 1970, 0 or 1 for a boolean, bytes for hashes, JSON as text. */
export interface Tables {
  organization: OrganizationTable
  user: UserTable
  membership: MembershipTable
  invitation: InvitationTable
  passwordReset: PasswordResetTable
  emailVerification: EmailVerificationTable
  session: SessionTable
  apiKey: ApiKeyTable
  deletedApiKey: DeletedApiKeyTable
  apiKeyLineage: ApiKeyLineageTable
  apiKeyUsage: ApiKeyUsageTable
  apiKeyUsageDay: ApiKeyUsageDayTable
  apiKeyCallLog: ApiKeyCallLogTable
  revokedApiKey: RevokedApiKeyTable
  apiKeyExpiryNotification: ApiKeyExpiryNotificationTable
  canaryApiKey: CanaryApiKeyTable
  device: DeviceTable
  deviceTag: DeviceTagTable
  deviceCheckIns: DeviceCheckInsTable
  deviceCount: DeviceCountTable
  deviceView: DeviceViewTable
  auditEvent: AuditEventTable
  email: EmailTable
  revocation: RevocationTable
  revocationState: RevocationStateTable
  secretFingerprint: SecretFingerprintTable
  backupSchedule: BackupScheduleTable
  demoDevice: DemoDeviceTable
  webhook: WebhookTable
  webhookEvent: WebhookEventTable
  webhookDelivery: WebhookDeliveryTable
  webhookProgress: WebhookProgressTable
  idempotencyRecord: IdempotencyRecordTable
  storedBytes: StoredBytesTable
  migration: MigrationTable
  migrationProgress: MigrationProgressTable
}

export type { ActorKind }

/** Where queries run: the read connection, or an open transaction. */
export type Db = Kysely<Tables>

export type Role = 'ADMIN' | 'MEMBER'
export type OrganizationKind = 'ORGANIZATION' | 'PERSONAL'
export type Flag = 0 | 1

export interface OrganizationTable {
  id: string
  kind: OrganizationKind
  name: string
  nameKey: string
  slug: string
  apiKeysEnabled: Flag
  /** The policy for its keys as JSON; null: the default policy. */
  apiKeyPolicy: string | null
  createdAt: number
  /** The person who created it; null: created by the command line, or a personal account. */
  createdById: string | null
}

export interface UserTable {
  id: string
  email: string
  name: string
  passwordHash: string
  support: Flag
  personalOrganizationId: string
  /** Null: the address is not verified. */
  emailVerifiedAt: number | null
  createdAt: number
}

export interface MembershipTable extends InvitedBy {
  organizationId: string
  userId: string
  role: Role
  createdAt: number
}

/** A person or a key; neither: the command line, or, for a member, it was not recorded, or there was no invitation. */
export interface InvitedBy {
  invitedByUserId: string | null
  invitedByKeyId: string | null
}

/** The person or key that raised an invitation to Admin; neither means that it is as it was created. */
export interface RaisedBy {
  raisedByUserId: string | null
  raisedByKeyId: string | null
}

/** The row is deleted together with the key that created it, or that raised it to Admin. */
export interface InvitationTable extends InvitedBy, RaisedBy {
  id: string
  organizationId: string
  email: string
  name: string
  role: Role
  tokenHash: Uint8Array
  createdAt: number
  expiresAt: number
}

export interface PasswordResetTable {
  id: string
  userId: string
  tokenHash: Uint8Array
  createdAt: number
  expiresAt: number
  /** The link was sent by email and shown nowhere else, so using it proves access to the mailbox. */
  emailed: Flag
}

export interface EmailVerificationTable {
  id: string
  userId: string
  tokenHash: Uint8Array
  createdAt: number
  expiresAt: number
}

export interface SessionTable {
  id: string
  userId: string
  tokenHash: Uint8Array
  address: string
  userAgent: string
  createdAt: number
  lastSeenAt: number
  expiresAt: number
}

export interface ApiKeyTable extends PauseColumns {
  id: string
  organizationId: string
  label: string
  prefix: string
  secretHash: Uint8Array
  createdAt: number
  createdByKind: ActorKind
  createdById: string | null
  createdByName: string
  lastUsedAt: number | null
  lastUsedIp: string | null
  lastUsedUserAgent: string | null
  /** The name of the operation, or its fields. */
  lastUsedOperation: string | null
  expiresAt: number | null
  /** Whether somebody chose the label. */
  labelled: Flag
  /** The rules that the API route checks, as JSON; null: none. Those of the policy are copied, so that a lookup reads one row. */
  rules: string | null
  /** What a process must know of rules to accept this key: see key-rules.ts. */
  rulesVersion: number
  /** The two sides of a rotation; the other key may no longer exist. */
  replacesId: string | null
  replacedById: string | null
}

/** A key that is gone, and of which rows of lineage, usage or notifications may be left. Its id is never given to another key. */
export interface DeletedApiKeyTable {
  id: string
}

/** One row for each key and each of its ancestors; both may no longer exist. */
export interface ApiKeyLineageTable {
  ancestorId: string
  keyId: string
}

/** The Admins were notified of this expiration, this many days before it. */
export interface ApiKeyExpiryNotificationTable {
  keyId: string
  expiresAt: number
  days: number
  at: number
}

/** A key that is never accepted. It has a table of its own, so that no mistake in a query on keys can accept it. */
export interface CanaryApiKeyTable
  extends Pick<ApiKeyTable, 'id' | 'organizationId' | 'label' | 'prefix' | 'secretHash' | 'createdAt'>,
    Pick<ApiKeyTable, 'createdByKind' | 'createdById' | 'createdByName'>,
    Pick<ApiKeyTable, 'lastUsedAt' | 'lastUsedIp' | 'lastUsedUserAgent'> {
  /** How many calls were made with it. */
  calls: number
  /** When the Admins were last notified of a call. */
  notifiedAt: number | null
  /** When its secret was first reported as found somewhere. */
  leakedAt: number | null
}

export interface DeviceTable {
  id: string
  organizationId: string
  name: string
  nameKey: string
  description: string | null
  enabled: Flag
  lastSeenAt: number | null
  firmwareVersion: string | null
  tags: string
  location: string | null
  createdAt: number
  updatedAt: number
  /** How many check-ins there were on the day of this first one, of UTC. Null: none since they are counted. */
  checkIns: number | null
  firstCheckInAt: number | null
}

/** The check-ins of a device on days before, at most 30, as JSON. */
export interface DeviceCheckInsTable {
  deviceId: string
  days: string
}

/** The tags of a device again, in the order of the list, for filtering by index. */
export interface DeviceTagTable {
  organizationId: string
  tag: string
  nameKey: string
  deviceId: string
}

/** The number of devices of an organization; no row: none yet. */
export interface DeviceCountTable {
  organizationId: string
  devices: number
}

/** The `PORTAL_SECRET` that a process uses: replicas with different ones cannot decrypt each other's emails. */
export interface SecretFingerprintTable {
  fingerprint: string
  /** When a process last started with it, or had it, a few minutes ago. */
  seenAt: number
}

/** One row: one process at a time makes the scheduled backups. */
export interface BackupScheduleTable {
  claimedBy: string
  claimedUntil: number
  /** When the last attempt started; 0: none yet. */
  startedAt: number
  /** The time of the last backup that was proven to be restorable; null: none yet. */
  verifiedAt: number | null
}

/** A device of the demo that checks in by itself while the demo runs; it may no longer exist. */
export interface DemoDeviceTable {
  deviceId: string
  /** The key that it uses: without it, it does not check in. */
  keyId: string
  pattern: 'STEADY' | 'FLAKY'
}

/** The answer to a mutation that was sent with an Idempotency-Key, for as long as the same request gets it again. */
export interface IdempotencyRecordTable {
  /** Begins with the time of its creation. */
  id: string
  /** The key or the person. */
  callerId: string
  /** An HMAC of the caller and the header's value, with a key derived from PORTAL_SECRET. The value is stored nowhere. */
  valueHash: Uint8Array
  /** An HMAC of the request. */
  bodyHash: Uint8Array
  /** Encrypted with PORTAL_SECRET. */
  answer: string
  expiresAt: number
}

export interface MigrationTable {
  version: number
  name: string
  appliedAt: number
}

/** While an upgrade is in progress: see migration-progress.ts. */
export interface MigrationProgressTable {
  version: number
  step: number
  after: string
}
