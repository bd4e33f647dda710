import type { Command } from 'commander'
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
import { addRemoteOptions, type ConnectOptions, connectTo, remoteOf } from '../api/connect.ts'
import { type OrganizationContext, organizationBySlug, organizationOfKey } from '../organization-context.ts'
import { type Portal, withPortal } from '../portal.ts'
import type { Terminal } from '../terminal.ts'

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

/** `--org`, and the options for a portal elsewhere. */
export const addKeySourceOptions = (command: Command, org: string): Command =>
  addRemoteOptions(command.option('--org <slug>', org))

type Target = (portal: Portal) => Promise<OrganizationContext>

/** Runs `work` with the keys of the organization that `target` finds in this database, or of the portal elsewhere. */
export async function withKeySource<Done>(
  terminal: Terminal,
  options: ConnectOptions,
  target: Target,
  work: (keys: KeySource) => Promise<Done>,
): Promise<Done> {
  const address = remoteOf(terminal, options)
  if (address !== undefined) {
    const { remoteKeys } = await import('./remote-keys.ts')
    return work(await remoteKeys(await connectTo(terminal, address, options)))
  }
  return withPortal(terminal, async (portal) => {
    const { localKeys } = await import('./local-keys.ts')
    return work(localKeys(await target(portal)))
  })
}

/** The same with the organization of this key. */
export const withKeySourceOf = <Done>(
  terminal: Terminal,
  id: string,
  options: ConnectOptions,
  work: (keys: KeySource) => Promise<Done>,
): Promise<Done> => withKeySource(terminal, options, (portal) => organizationOfKey(portal, id, options.org), work)

/** The same with the organization of `--org`, which is required for this database. */
export function withKeySourceIn<Done>(
  terminal: Terminal,
  command: Command,
  options: ConnectOptions,
  work: (keys: KeySource) => Promise<Done>,
): Promise<Done> {
  const { org } = options
  if (org === undefined && remoteOf(terminal, options) === undefined)
    command.error("error: required option '--org <slug>' not specified")
  return withKeySource(terminal, options, (portal) => organizationBySlug(portal, org ?? ''), work)
}
