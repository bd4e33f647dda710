import type { ActorKind } from './actor-kind.ts'

/**
 * The last calls that one process has answered for a key, the newest first. It is stored for a day, also when the key is
 * gone.
 */
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
