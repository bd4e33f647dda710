import type { AuditEventTable } from '../../db/audit-event-table.ts'
import { cleaned } from '../../lib/plain-text.ts'
import { eventTypeFor } from './event-types.ts'
import type { WebhookEvent } from './queue.ts'

/** One of several objects that an entry is about. */
export interface AuditedObject {
  id: string
  name: string
}

/** What webhooks are notified of an entry of the audit log: of several objects one event for each, of most entries nothing. */
export function webhookEvents(
  { action, organizationId, at, subject, subjectType, subjectId, changes, ...row }: AuditEventTable,
  objects?: readonly AuditedObject[],
): WebhookEvent[] {
  const type = eventTypeFor(action)
  if (type === undefined) return []
  const { actorKind, actorId, actorName } = row
  const actor = { kind: actorKind, id: actorId, name: actorName }
  const event = { organizationId, type, at, actor, changes }
  const object = { type: subjectType, id: subjectId, name: subject ?? '' }
  if (!objects) return [{ ...event, object }]
  return objects.map(({ id, name }) => ({ ...event, object: { ...object, id, name: cleaned(name) }, changes: null }))
}
