import type { ApiKeyUsageDayTable, ApiKeyUsageTable } from '../../db/tables.ts'

/** How many calls requested each root field. */
export type FieldCounts = ReadonlyMap<string, number>

/** As written by write.ts; null: by a version that did not count root fields, although there were calls. */
export function fieldsOfHour({ calls, seen }: Pick<ApiKeyUsageTable, 'calls' | 'seen'>): FieldCounts | null {
  const { fields } = JSON.parse(seen) as { fields?: [string | null, number][] }
  if (!fields) return calls === 0 ? new Map() : null
  return new Map(fields.flatMap(([name, count]) => (name === null ? [] : [[name, count]])))
}

/** As written by `writeFields`. */
export function fieldsOfDay({ fields }: Pick<ApiKeyUsageDayTable, 'fields'>): FieldCounts | null {
  return fields === null ? null : new Map(JSON.parse(fields) as [string, number][])
}

/** The counts of a day from its parts; null if a part has none: it is not known what else was requested that day. */
export function writeFields(parts: readonly (FieldCounts | null)[]): string | null {
  return parts.every((part) => part !== null) ? JSON.stringify([...sumOfFields(parts)]) : null
}

export function sumOfFields(parts: readonly FieldCounts[]): Map<string, number> {
  const sum = new Map<string, number>()
  for (const part of parts) {
    for (const [name, calls] of part) sum.set(name, (sum.get(name) ?? 0) + calls)
  }
  return sum
}
