import { GraphQLError } from 'graphql'

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})$/

/** Milliseconds since 1970; a moment without a zone, or a day that no calendar has, is refused. */
export function parseDateTime(value: unknown): number {
  const at = typeof value === 'string' && RFC_3339.test(value) ? Date.parse(value) : Number.NaN
  const day = typeof value === 'string' ? Number(value.slice(8, 10)) : 0
  if (Number.isNaN(at) || day > daysOfMonth(String(value))) {
    throw new GraphQLError('DateTime: a moment with its zone, such as 2026-11-15T14:03:00Z.')
  }
  return at
}

const daysOfMonth = (text: string) =>
  new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
