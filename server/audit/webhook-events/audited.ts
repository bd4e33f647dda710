import type { AuditEventTable } from '../../db/audit-event-table.ts'
import type { FieldChange } from '../changes.ts'
import { eventTypeFor } from './event-types.ts'
import type { WebhookEvent } from './queue.ts'

/** What webhooks are notified of an entry of the audit log: of several objects one event for each, of most entries nothing. */
export function webhookEvents(
  { action, organizationId, at, subject, subjectType, subjectId, changes, ...row }: AuditEventTable,
  fields: readonly FieldChange[] = [],
): WebhookEvent[] {
  const type = eventTypeFor(action)
  if (type === undefined) return []
  const { actorKind, actorId, actorName } = row
  const actor = { kind: actorKind, id: actorId, name: actorName }
  const event = { organizationId, type, at, actor, changes }
  const object = { type: subjectType, id: subjectId, name: subject ?? '' }
  const ids = action === 'api_keys.revoked' ? idsIn(fields) : undefined
  return ids ? ids.map((id) => ({ ...event, object: { ...object, id }, changes: null })) : [{ ...event, object }]
}

/** The ids of the objects that an entry is about, where it is about several. */
function idsIn(fields: readonly FieldChange[]): string[] | undefined {
  const ids = fields.find(({ field }) => field === 'ids')?.before
  return Array.isArray(ids) ? ids.map(String) : undefined
}
