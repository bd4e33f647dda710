import { AppError } from '../../lib/app-error.ts'
import { badInput } from '../../lib/check.ts'

/**
 * Fits the longest password in any script, with room to spare. A longer one would take long to normalize and to hash.
 */
const MAX_TEXT_LENGTH = 2048

/** A required text field of the JSON object. */
export function requiredText(body: unknown, field: string): string {
  const text = optionalText(body, field)
  if (text === undefined) throw badInput(field, `${field}: required.`)
  return text
}

/** An optional text field of the JSON object; null is the same as absent. */
export function optionalText(body: unknown, field: string): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError('BAD_REQUEST', { message: 'POST a JSON object.' })
  }
  const value = new Map<string, unknown>(Object.entries(body)).get(field) ?? undefined
  if (value !== undefined && typeof value !== 'string') throw badInput(field, `${field}: a text.`)
  if (value !== undefined && value.length > MAX_TEXT_LENGTH) throw badInput(field, `${field}: too long.`)
  return value
}
