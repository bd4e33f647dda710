import type { ActorKind } from './audit-event-table.ts'

/** The counts of one process for a key in one hour. Only that process writes the row, as a whole, so writing it twice does no harm. */
export interface ApiKeyUsageTable {
  keyId: string
  hour: number
  writer: string
  calls: number
  errors: number
  /** Addresses, user agents, operations and root fields with their counts, as JSON. */
  seen: string
}

/** The sum of the hours of a past day. */
export interface ApiKeyUsageDayTable {
  keyId: string
  day: number
  calls: number
  errors: number
  /** Root fields with their counts, as JSON; null: the day was added up by a version that did not count them. */
  fields: string | null
}

/** The last calls that one process has answered for a key, the newest first. It is stored for a day, also when the key is gone. */
export interface ApiKeyCallLogTable {
  keyId: string
  writer: string
  /** One line of JSON for each call. The last line may be cut off. */
  accepted: string
  refused: string
  /** No call in it is older. */
  since: number
  updatedAt: number
}

export type RevocationCause =
  | 'REVOKED'
  | 'UNUSED'
  | 'ROTATED'
  | 'EXPIRED'
  | 'POLICY'
  | 'FEATURE_DISABLED'
  | 'LEAKED'
  | 'RESTORED'

/** A key that is gone: what may be shown of it. */
export interface RevokedApiKeyTable {
  id: string
  organizationId: string
  label: string
  prefix: string
  createdAt: number
  createdByKind: ActorKind
  createdById: string | null
  createdByName: string
  lastUsedAt: number | null
  revokedAt: number
  revokedByKind: ActorKind
  revokedById: string | null
  revokedByName: string
  cause: RevocationCause
  /** What the person who revoked it has given; null: nothing. */
  reason: string | null
}

/** The pause of a key. All are null for a key that was not paused, or was resumed. */
export interface PauseColumns {
  /** Refused until then; the last moment that there is: until it is resumed. One in the past: not paused. */
  pausedUntil: number | null
  pausedAt: number | null
  /** Who paused it, with the name of that time. */
  pausedByKind: ActorKind | null
  pausedById: string | null
  pausedByName: string | null
}
