import { printable, withoutSecrets } from '../lib/plain-text.ts'

/** More than any object of ours has. */
export const MAX_FIELDS = 20
/** Characters of a text: longer than any field of ours. */
const MAX_TEXT = 2_000
/** Characters of JSON of all values of one event together. */
const MAX_TOTAL = 12_000
const CUT = '…'
const CUT_JSON = JSON.stringify(CUT)

/** A field that an event has changed. A value is what the API shows: a time as text, a flag as a boolean. */
export interface FieldChange {
  field: string
  /** Null: it had no value, or did not exist. */
  before: unknown
  /** Null: it has no value, or no longer exists. */
  after: unknown
}

type Values = Readonly<Record<string, unknown>>

/** The changes of an object that did not exist before: every field with a value. */
export const createdWith = (values: Values): FieldChange[] => changesBetween({}, values)

export const deletedWith = (values: Values): FieldChange[] => changesBetween(values, {})

/** The fields that differ, in the order of their names in both. */
export function changesBetween(before: Values, after: Values): FieldChange[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...fields]
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
}

/** Changes as they are stored: bounded, without a secret and without control characters; null if nothing changed. */
export function storedChanges(changes: readonly FieldChange[]): string | null {
  if (changes.length === 0) return null
  let left = MAX_TOTAL
  const within = (value: unknown): string => {
    const json = JSON.stringify(cleanedValue(value))
    const stored = json.length <= left ? json : CUT_JSON
    left -= stored.length
    return stored
  }
  const stored = changes.slice(0, MAX_FIELDS).map(({ field, before, after }) => {
    return `{"field":${JSON.stringify(field)},"before":${within(before)},"after":${within(after)}}`
  })
  return `[${stored.join()}]`
}

/** The stored changes; null for an event without, or in a format of another version. */
export function readChanges(stored: string | null): FieldChange[] | null {
  if (stored === null) return null
  try {
    const parsed: unknown = JSON.parse(stored)
    return Array.isArray(parsed) && parsed.every(isChange) ? parsed : null
  } catch {
    return null
  }
}

const isChange = (value: unknown): value is FieldChange =>
  typeof value === 'object' && value !== null && 'field' in value && typeof value.field === 'string'

/** JSON alone: what is not becomes null. */
function cleanedValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanedText(value)
  if (typeof value === 'boolean' || Number.isFinite(value)) return value
  if (Array.isArray(value)) return value.map(cleanedValue)
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleanedValue(each)]))
}

function cleanedText(text: string): string {
  const clean = withoutSecrets(printable(text))
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT).toWellFormed()}${CUT}` : clean
}
