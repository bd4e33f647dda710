import type { Kysely } from 'kysely'

/**
 * Every table on one page. Types are those that both databases share: text, integer milliseconds since 1970,
 * 0 or 1 for yes and no, bytes for hashes, JSON as text.
 */
export interface Tables {
  organization: OrganizationTable
  user: UserTable
  membership: MembershipTable
  invitation: InvitationTable
  passwordReset: PasswordResetTable
  emailVerification: EmailVerificationTable
  session: SessionTable
  apiKey: ApiKeyTable
  apiKeyLineage: ApiKeyLineageTable
  apiKeyUsage: ApiKeyUsageTable
  apiKeyUsageDay: ApiKeyUsageDayTable
  apiKeyWarning: ApiKeyWarningTable
  device: DeviceTable
  deviceTag: DeviceTagTable
  deviceCount: DeviceCountTable
  auditEvent: AuditEventTable
  email: EmailTable
  migration: MigrationTable
}

/** Where queries run: the read connection, or the transaction that is open. */
export type Db = Kysely<Tables>

export type Role = 'ADMIN' | 'MEMBER'
export type OrganizationKind = 'ORGANIZATION' | 'PERSONAL'
export type ActorKind = 'USER' | 'API_KEY' | 'SUPPORT' | 'SYSTEM'
export type Flag = 0 | 1

export interface OrganizationTable {
  id: string
  kind: OrganizationKind
  name: string
  nameKey: string
  slug: string
  apiKeysEnabled: Flag
  /** The rules for its keys as JSON; null: none beyond those that all have. */
  apiKeyPolicy: string | null
  createdAt: number
  /** The person who made it; null: the command line, or an account's own. */
  createdById: string | null
}

export interface UserTable {
  id: string
  email: string
  name: string
  passwordHash: string
  support: Flag
  personalOrganizationId: string
  /** Null: nobody has shown yet that the mailbox is theirs. */
  emailVerifiedAt: number | null
  createdAt: number
}

export interface MembershipTable extends InvitedBy {
  organizationId: string
  userId: string
  role: Role
  createdAt: number
}

/**
 * Who made an invitation, a person or a key. Neither: the command line, and nobody else. Of a member, neither also means that
 * they were there before this was written down, or that nobody invited them.
 */
export interface InvitedBy {
  invitedByUserId: string | null
  invitedByKeyId: string | null
}

/** The row goes with the key that made it. */
export interface InvitationTable extends InvitedBy {
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
  /** The link was sent by email and shown nowhere else: whoever has it, has the mailbox. */
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

export interface ApiKeyTable {
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
  /** The operation, by its name or its fields. */
  lastUsedOperation: string | null
  expiresAt: number | null
  /** Whether somebody gave it its label. */
  labelled: Flag
  /**
   * The rules that the API route checks for this key, as JSON; null: none. Copied from the policy, so that one row has
   * everything.
   */
  rules: string | null
  /** The two sides of a rotation; the other key may be gone. */
  replacesId: string | null
  replacedById: string | null
}

/** One row for each key and each key it descends from; the ancestor may be gone. */
export interface ApiKeyLineageTable {
  ancestorId: string
  keyId: string
}

/** What one process has counted for a key in one hour: it alone writes the row, whole, so writing it twice is no harm. */
export interface ApiKeyUsageTable {
  keyId: string
  hour: number
  writer: string
  calls: number
  errors: number
  /** Addresses, user agents and operations with their counts, as JSON. */
  seen: string
}

/** The hours of a day that has passed, added up. */
export interface ApiKeyUsageDayTable {
  keyId: string
  day: number
  calls: number
  errors: number
}

/** That the Admins were notified of this expiration, this many days before it. */
export interface ApiKeyWarningTable {
  keyId: string
  expiresAt: number
  days: number
  at: number
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
}

/** The tags of a device once more, in the order of the list, for filtering by index. */
export interface DeviceTagTable {
  organizationId: string
  tag: string
  nameKey: string
  deviceId: string
}

/** How many devices an organization has; no row: none yet. */
export interface DeviceCountTable {
  organizationId: string
  devices: number
}

export interface AuditEventTable {
  id: string
  organizationId: string
  at: number
  action: string
  actorKind: ActorKind
  actorId: string | null
  actorName: string
  subject: string | null
  details: string | null
}

export type EmailKind = 'KEY_ENDS' | 'INVITATION' | 'PASSWORD_RESET' | 'EMAIL_VERIFICATION'

/** An email in the queue. One with a link is encrypted, and its text is deleted once it is sent. */
export interface EmailTable {
  id: string
  organizationId: string | null
  kind: EmailKind
  recipient: string
  subject: string
  text: string
  sealed: Flag
  createdAt: number
  /** From then on it is no longer useful and is not sent. */
  usefulUntil: number
  nextTryAt: number
  tries: number
  sentAt: number | null
  /** Of the token in its link: once that no longer works, the email is not sent. */
  linkHash: Uint8Array | null
  /** The error of the last attempt. */
  lastError: string | null
  /** The person against whose limit it counts; null: nobody's. */
  causedById: string | null
}

export interface MigrationTable {
  version: number
  name: string
  appliedAt: number
}
