import type { AuditEvent } from '../../api/audit.ts'

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
const LINE_END = '\r\n'
/** Without it a spreadsheet takes the file for one of its own country's old encodings. */
const BYTE_ORDER_MARK = '\uFEFF'

export const csvHead = (headings: readonly string[]) => BYTE_ORDER_MARK + csvLine(headings)

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

export const csvLine = (cells: readonly (string | null)[]) => cells.map((text) => cell(text ?? '')).join(',') + LINE_END

/** Anybody can choose a name: it must not run as a formula when the file is opened. */
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
