import { GraphQLError } from 'graphql'

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})$/
const NO_MOMENT = -1

/**
 * Milliseconds since 1970, or a negative number for a text that is not a valid time: one without a zone, or a day that
 * does not exist. The argument check refuses those, since it knows the name of the field.
 */
export function parseDateTime(value: unknown): number {
  if (typeof value !== 'string') throw new GraphQLError('DateTime: a text such as "2026-11-15T14:03:00Z".')
  if (!RFC_3339.test(value) || Number(value.slice(8, 10)) > daysOfMonth(value)) return NO_MOMENT
  const at = Date.parse(value)
  return Number.isNaN(at) ? NO_MOMENT : at
}

const daysOfMonth = (text: string) =>
  new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
