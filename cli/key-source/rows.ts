import type { ApiKey } from '../../server/api-keys/api-key.ts'
import { type ApiKeyAccess, RULES_VERSION, writeRules } from '../../server/caller/key-rules.ts'
import { UNTIL_RESUMED } from '../../server/caller/verify-key.ts'
import type { ActorKind } from '../../server/db/actor-kind.ts'

interface Actor {
  kind: ActorKind
  id: string | null
  name: string
}

/** A key as the API shows it, with KEY_FIELDS. */
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
  access: ApiKeyAccess
  deviceId: string | null
  allowedNetworks: string[]
  notBefore: string | null
  requestsPerSecond: number | null
  requestsPerDay: number | null
  paused: boolean
  pausedAt: string | null
  pausedBy: Actor | null
  pausedUntil: string | null
  replaces: { id: string } | null
  replacedBy: { id: string } | null
}

export const KEY_FIELDS = `id label prefix createdAt createdBy { kind id name } lastUsedAt lastUsedIp lastUsedUserAgent
  lastUsedOperation expiresAt access deviceId allowedNetworks notBefore requestsPerSecond requestsPerDay
  paused pausedAt pausedBy { kind id name } pausedUntil replaces { id } replacedBy { id }`

/** A key as a row of the database, which is what is printed. */
export function rowOf(shown: ShownKey): ApiKey {
  const { access, deviceId, allowedNetworks, requestsPerSecond, requestsPerDay, createdBy, pausedBy } = shown
  return {
    ...{ id: shown.id, label: shown.label, prefix: shown.prefix, organizationId: '', labelled: 1 },
    createdAt: Date.parse(shown.createdAt),
    ...{ createdByKind: createdBy.kind, createdById: createdBy.id, createdByName: createdBy.name },
    lastUsedAt: timeOf(shown.lastUsedAt),
    lastUsedIp: shown.lastUsedIp,
    lastUsedUserAgent: shown.lastUsedUserAgent,
    lastUsedOperation: shown.lastUsedOperation,
    expiresAt: timeOf(shown.expiresAt),
    pausedUntil: shown.paused ? (timeOf(shown.pausedUntil) ?? UNTIL_RESUMED) : null,
    pausedAt: timeOf(shown.pausedAt),
    pausedByKind: pausedBy?.kind ?? null,
    pausedById: pausedBy?.id ?? null,
    pausedByName: pausedBy?.name ?? null,
    rules: writeRules({
      access: access === 'ADMIN' ? undefined : access,
      deviceId: deviceId ?? undefined,
      ownNetworks: allowedNetworks,
      notBefore: timeOf(shown.notBefore) ?? undefined,
      requestsPerSecond: requestsPerSecond ?? undefined,
      requestsPerDay: requestsPerDay ?? undefined,
    }),
    rulesVersion: RULES_VERSION,
    replacesId: shown.replaces?.id ?? null,
    replacedById: shown.replacedBy?.id ?? null,
  }
}

export const timeOf = (iso: string | null) => (iso === null ? null : Date.parse(iso))
