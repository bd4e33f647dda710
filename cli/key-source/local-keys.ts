import { updateApiKey } from '../../server/api-keys/access/update.ts'
import { findApiKey } from '../../server/api-keys/api-key.ts'
import { exportKeyChanges } from '../../server/api-keys/changes/changes.ts'
import { generateApiKey } from '../../server/api-keys/generate.ts'
import { heldSince } from '../../server/api-keys/held-since.ts'
import { pauseApiKey, resumeApiKey } from '../../server/api-keys/pause/pause.ts'
import { refusedWhilePaused } from '../../server/api-keys/pause/refused-while-paused.ts'
import { policyOf, policyOfKey } from '../../server/api-keys/policy/policy.ts'
import { revokeApiKey } from '../../server/api-keys/revoke.ts'
import { revokeListedKeys } from '../../server/api-keys/revoke-many.ts'
import { rotateApiKey } from '../../server/api-keys/rotation/rotate.ts'
import { recentUsage, usageOfKeys } from '../../server/api-keys/usage/read.ts'
import { type ExportedEvent, exportedEvent } from '../../server/audit/export.ts'
import type { AuditEventTable } from '../../server/db/audit-event-table.ts'
import { MAX_PAGE_SIZE } from '../../server/lib/page.ts'
import { listInvitedUsers } from '../../server/users/invited-users.ts'
import { allKeys } from '../keys.ts'
import { allDescendants } from '../lineage-tree.ts'
import type { OrganizationContext } from '../organization-context.ts'
import type { KeySource } from './key-source.ts'

/** The keys in the database of this machine: as the operator (C9). */
export const localKeys = ({ ctx, organization }: OrganizationContext): KeySource => ({
  organization,
  now: ctx.now,
  heldSince: () => heldSince(ctx.db),
  list: (filter) => allKeys(ctx, filter),
  find: (id) => findApiKey(ctx, id),
  recentUsage: (id) => recentUsage(ctx, id),
  async usageByDay(id) {
    const [days = []] = await usageOfKeys(ctx, [id], { since: null, by: 'DAY' })
    return days.map(({ at, calls, errors }) => ({ at, calls, errors }))
  },
  descendants: (id) => allDescendants(ctx, id),
  stillThere: (id) => allDescendants(ctx, id),
  policyOf: async (apiKey) => policyOfKey(apiKey, policyOf(organization)),
  refusedWhilePaused: async (apiKey) => (await refusedWhilePaused(ctx, apiKey)) ?? null,
  async invited(id, { includeDescendants }) {
    const { data, pageInfo } = await listInvitedUsers(ctx, id, { first: MAX_PAGE_SIZE, includeDescendants })
    return { people: data, hasMore: pageInfo.hasNextPage }
  },
  generate: (input) => generateApiKey(ctx, input),
  rotate: (id, input) => rotateApiKey(ctx, id, input),
  update: (id, input) => updateApiKey(ctx, id, input),
  pause: (id, seconds) => pauseApiKey(ctx, id, seconds),
  resume: (id) => resumeApiKey(ctx, id),
  revoke: (id, { reason }) => revokeApiKey(ctx, id, { reason }),
  revokeListed: (ids, many) => revokeListedKeys(ctx, ids, many),
  async changes(id, since) {
    const { keys, events } = await exportKeyChanges(ctx, id, { since })
    return { keyCount: keys.ids.length, isComplete: keys.isComplete, events: exported(events, organization.slug) }
  },
})

async function* exported(parts: AsyncIterable<AuditEventTable[]>, slug: string): AsyncGenerator<ExportedEvent[]> {
  for await (const part of parts) yield part.map((event) => exportedEvent(event, slug))
}
