import type { ApiKeyAccess } from '../../server/caller/key-rules.ts'
import type { ActorKind } from '../../server/db/audit-event-table.ts'

interface Actor {
  kind: ActorKind
  id: string | null
  name: string
}

/** A key as the API shows it, and as `--json` prints it: KEY_FIELDS in this order. */
export interface ShownKey {
  id: string
  label: string
  prefix: string
  createdAt: string
  createdBy: Actor
  lastUsedAt: string | null
  lastUsedIp: string | null
  lastUsedUserAgent: string | null
  lastUsedOperation: string | null
  expiresAt: string | null
  expired: boolean
  replaces: { id: string } | null
  replacedBy: { id: string } | null
  access: ApiKeyAccess
  deviceId: string | null
  allowedNetworks: string[]
  notBefore: string | null
  requestsPerSecond: number | null
  requestsPerDay: number | null
  paused: boolean
  pausedUntil: string | null
  pausedAt: string | null
  pausedBy: Actor | null
}

export const KEY_FIELDS = `id label prefix createdAt createdBy { kind id name } lastUsedAt lastUsedIp lastUsedUserAgent
  lastUsedOperation expiresAt expired replaces { id } replacedBy { id } access deviceId allowedNetworks notBefore
  requestsPerSecond requestsPerDay paused pausedUntil pausedAt pausedBy { kind id name }`

export const timeOf = (iso: string | null) => (iso === null ? null : Date.parse(iso))
