import { badInput } from '../lib/check.ts'
import { Failure } from '../lib/failure.ts'

/** Of the longest password in any script, with room to spare. What is longer would take long to normalize and to hash. */
const LONGEST_TEXT = 2048

/** A text that must be in the JSON object that was sent. */
export function requiredText(body: unknown, field: string): string {
  const text = optionalText(body, field)
  if (text === undefined) throw badInput(field, `${field}: required.`)
  return text
}

/** A text that may be in the JSON object that was sent; null is the same as absent. */
export function optionalText(body: unknown, field: string): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Failure('BAD_REQUEST', { says: 'POST a JSON object.' })
  }
  const value = new Map<string, unknown>(Object.entries(body)).get(field) ?? undefined
  if (value !== undefined && typeof value !== 'string') throw badInput(field, `${field}: a text.`)
  if (value !== undefined && value.length > LONGEST_TEXT) throw badInput(field, `${field}: too long.`)
  return value
}
