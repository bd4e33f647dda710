import type { OwnRulesInput } from '../../server/api-keys/access/own-rules.ts'
import type { ApiKey } from '../../server/api-keys/api-key.ts'
import type { ApiKeyFilter } from '../../server/api-keys/filter.ts'
import type { RefusedWhilePaused } from '../../server/api-keys/pause/refused-while-paused.ts'
import type { ApiKeyPolicy } from '../../server/api-keys/policy/policy.ts'
import type { ManyApiKeys } from '../../server/api-keys/revoke-many.ts'
import type { ApiKeyDescendant } from '../../server/api-keys/rotation/lineage.ts'
import type { ApiKeyUsage, RecentUsage } from '../../server/api-keys/usage/read.ts'
import type { ExportedEvent } from '../../server/audit/export.ts'
import type { Clock } from '../../server/lib/clock.ts'
import type { Person } from '../../server/users/person.ts'

export type Descendant = Pick<ApiKeyDescendant, 'id' | 'label' | 'parentId' | 'lastUsedAt' | 'expiresAt'>
export type InvitedPerson = Pick<Person, 'name' | 'email' | 'role' | 'invited'>

/** A new key, with its secret. */
export interface NewKey {
  apiKey: ApiKey
  secret: string
}

export interface Revoked {
  ids: string[]
  revokedAt: number
  receipt: { durable: boolean }
}

export interface KeyChanges {
  keyCount: number
  isComplete: boolean
  events: AsyncIterable<ExportedEvent[]>
}

/** The keys of one organization: in the database of this machine, or of a portal elsewhere. */
export interface KeySource {
  organization: { name: string; slug: string }
  now: Clock
  /** Since when no key is accepted; null: they are. */
  heldSince(): Promise<number | null>
  list(filter?: Pick<ApiKeyFilter, 'ids'>): Promise<ApiKey[]>
  find(id: string): Promise<ApiKey>
  recentUsage(id: string): Promise<RecentUsage>
  usageByDay(id: string): Promise<ApiKeyUsage[]>
  descendants(id: string): Promise<Descendant[]>
  /** After its revoke: the keys that it generated, of which these were known before. */
  stillThere(id: string, known: Descendant[]): Promise<Pick<ApiKey, 'id' | 'expiresAt'>[]>
  policyOf(apiKey: ApiKey): Promise<ApiKeyPolicy>
  refusedWhilePaused(apiKey: ApiKey): Promise<RefusedWhilePaused | null>
  invited(id: string, meant: { includeDescendants: boolean }): Promise<{ people: InvitedPerson[]; hasMore: boolean }>
  generate(input: OwnRulesInput & { label?: string | undefined; expiresAt?: number | undefined }): Promise<NewKey>
  /** Without a receipt where the portal tells none. */
  rotate(
    id: string,
    input: { overlapSeconds: number | undefined; expiresAt: number | undefined },
  ): Promise<NewKey & { receipt?: { durable: boolean } }>
  update(id: string, input: OwnRulesInput): Promise<ApiKey>
  pause(id: string, seconds: number | undefined): Promise<ApiKey>
  resume(id: string): Promise<ApiKey>
  revoke(id: string, why: { reason: string | null }): Promise<Revoked>
  /** Those of the listed keys that still exist, together; never another one. */
  revokeListed(ids: readonly string[], many: ManyApiKeys & { reason: string | null }): Promise<Revoked>
  changes(id: string, since: number | undefined): Promise<KeyChanges>
}
