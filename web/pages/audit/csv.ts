import type { AuditEvent } from '../../api/audit.ts'
import { csvLine } from '../../ui/csv-line.ts'

export const HEADINGS = [
  'Time',
  'Actor kind',
  'Actor',
  'Actor id',
  'Action',
  'Subject',
  'Details',
  'Event id',
  'Subject type',
  'Subject id',
  'Changes',
  'IP address',
]

/** One line an event, as RFC 4180 has it. */
export const csvLines = (events: readonly AuditEvent[]) =>
  events
    .map(({ id, at, action, subject, subjectType, subjectId, details, changes, actor, ip }) =>
      csvLine([
        ...[at, actor.kind, actor.name, actor.id, action, subject, details, id],
        ...[subjectType, subjectId, changes && JSON.stringify(changes), ip],
      ]),
    )
    .join('')
