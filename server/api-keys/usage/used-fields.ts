import { sql } from 'kysely'
import type { Ctx } from '../../caller/ctx.ts'
import type { ApiKeyUsageDayTable, ApiKeyUsageTable } from '../../db/api-key-tables.ts'
import { DAY, HOUR } from '../../lib/clock.ts'

/** How far back it is looked for what a key requested, the current day included. */
const USED_DAYS = 30

export interface FieldUsage {
  field: string
  calls: number
}

export interface UsedFields {
  fields: FieldUsage[]
  /** From when on it is known: 30 days, or less if an older version counted calls without their fields. */
  knownSince: number
}

export async function usedFields({ reads, now }: Ctx, keyId: string): Promise<UsedFields> {
  const at = now()
  const from = at - (at % DAY) - (USED_DAYS - 1) * DAY
  const rows = await reads
    .selectFrom('apiKeyUsage')
    .select(['calls', 'hour as at', 'seen', sql<string | null>`null`.as('fields')])
    .where('keyId', '=', keyId)
    .where('hour', '>=', from)
    .unionAll(
      reads
        .selectFrom('apiKeyUsageDay')
        .select(['calls', 'day as at', sql<string>`''`.as('seen'), 'fields'])
        .where('keyId', '=', keyId)
        .where('day', '>=', from),
    )
    .execute()
  const parts = rows.map(({ seen, ...row }) => ({
    counts: seen === '' ? fieldsOfDay(row) : fieldsOfHour({ ...row, seen }),
    until: row.at + (seen === '' ? DAY : HOUR),
  }))
  const unknown = parts.filter(({ counts }) => counts === null).map(({ until }) => until)
  const counts = sumOfFields(parts.flatMap(({ counts }) => counts ?? []))
  return {
    fields: [...counts]
      .map(([field, calls]) => ({ field, calls }))
      .sort((a, b) => b.calls - a.calls || (a.field < b.field ? -1 : 1)),
    knownSince: Math.max(from, ...unknown),
  }
}

/** How many calls requested each root field, or field below as `Type.field`: see graphql/field-access.ts. */
export type FieldCounts = ReadonlyMap<string, number>

/** As write-usage.ts writes it; null: by a version that did not count root fields, although there were calls. */
export function fieldsOfHour({ calls, seen }: Pick<ApiKeyUsageTable, 'calls' | 'seen'>): FieldCounts | null {
  const { fields } = JSON.parse(seen) as { fields?: [string | null, number][] }
  if (!fields) return calls === 0 ? new Map() : null
  return new Map(fields.flatMap(([name, count]) => (name === null ? [] : [[name, count]])))
}

export function fieldsOfDay({ fields }: Pick<ApiKeyUsageDayTable, 'fields'>): FieldCounts | null {
  return fields === null ? null : new Map(JSON.parse(fields) as [string, number][])
}

/** The counts of a day from its parts; null if a part has none: it is not known what else was requested that day. */
export function writeFields(parts: readonly (FieldCounts | null)[]): string | null {
  return parts.every((part) => part !== null) ? JSON.stringify([...sumOfFields(parts)]) : null
}

function sumOfFields(parts: readonly FieldCounts[]): Map<string, number> {
  const sum = new Map<string, number>()
  for (const part of parts) {
    for (const [name, calls] of part) sum.set(name, (sum.get(name) ?? 0) + calls)
  }
  return sum
}
