import type { KeyChange } from '../../api/key-changes.ts'
import { csvLine } from '../../ui/csv-line.ts'
import { type FieldChange, valueText } from '../audit/details.ts'

export const HEADINGS = [
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

const NO_FIELD: FieldChange = { field: '', before: null, after: null }

/** A line for each field that was changed. */
export const changesCsv = (events: readonly KeyChange[]) => events.flatMap(linesOf).join('')

const linesOf = ({ id, at, actor, action, subject, subjectType, subjectId, ip, changes }: KeyChange) =>
  (changes?.length ? changes : [NO_FIELD]).map(({ field, before, after }) =>
    csvLine([
      ...[at, actor.name, actor.id, action, subjectType, subject, subjectId],
      ...[field, valueText(before), valueText(after), ip, id],
    ]),
  )
