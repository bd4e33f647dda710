import type { FieldChange } from '../server/audit/changed-fields.ts'
import type { ExportedEvent } from '../server/audit/export.ts'
import { escapedJson, onOneLine } from '../server/lib/plain-text.ts'
import { csvLine } from './csv.ts'
import { cut } from './table.ts'
import { readableTime } from './time.ts'

const MAX_VALUE_LENGTH = 60
const HEADINGS = [
  'Time',
  'Key',
  'Key id',
  'Action',
  'Subject type',
  'Subject',
  'Subject id',
  'Field',
  'Before',
  'After',
  'IP address',
  'Event id',
]

/** How changes are printed, part by part: `head`, then each part, then `foot`. */
export interface ChangesFormat {
  head: string
  part(events: ExportedEvent[], isFirst: boolean): string
  foot(count: number): string
}

interface About {
  key: string
  organization: string
  keyCount: number
  isComplete: boolean
}

/** For people: a line for each event, and one for each field that it changed. */
export const asText = ({ key, organization, keyCount }: About): ChangesFormat => ({
  head: `Changes by the key ${key} of ${organization}${made(keyCount - 1)}, the newest first:\n\n`,
  part: (events) => events.map(textOf).join(''),
  foot: (count) => (count === 0 ? 'None.\n' : `\n${count} ${count === 1 ? 'change' : 'changes'}.\n`),
})

/** One JSON document. */
export const asJson = (about: About): ChangesFormat => ({
  head: `${escapedJson(JSON.stringify(about)).slice(0, -1)},"changes":[`,
  part: (events, isFirst) =>
    (isFirst ? '\n' : ',\n') + events.map((event) => escapedJson(JSON.stringify(event))).join(',\n'),
  foot: () => ']}\n',
})

/** A line for each field that was changed. */
export const asCsv = (): ChangesFormat => ({
  head: csvLine(HEADINGS),
  part: (events) => events.flatMap(csvLinesOf).join(''),
  foot: () => '',
})

const made = (others: number) =>
  others === 0 ? '' : ` and by ${others} ${others === 1 ? 'key' : 'keys'} that it created`

function textOf({ at, actor, action, subject, ip, changes }: ExportedEvent): string {
  const parts = [readableTime(at), `${actor.name} (${actor.id})`, action, subject, ip && `from ${ip}`]
  const lines = (changes ?? []).map(
    ({ field, before, after }) => `    ${field}: ${shortValue(before)} → ${shortValue(after)}`,
  )
  return [parts.filter(Boolean).join('  '), ...lines].map((line) => `${onOneLine(line)}\n`).join('')
}

const NO_FIELD: FieldChange = { field: '', before: null, after: null }

const csvLinesOf = ({ id, at, actor, action, subject, subjectType, subjectId, ip, changes }: ExportedEvent) =>
  (changes?.length ? changes : [NO_FIELD]).map(({ field, before, after }) =>
    csvLine([
      ...[at, actor.name, actor.id, action, subjectType, subject, subjectId],
      ...[field, textValue(before), textValue(after), ip, id],
    ]),
  )

/** A text as it is, anything else as JSON. */
const textValue = (value: unknown) =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)

const shortValue = (value: unknown) => cut(textValue(value) ?? '-', MAX_VALUE_LENGTH)
