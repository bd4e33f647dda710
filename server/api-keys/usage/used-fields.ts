import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { fieldsOfDay, fieldsOfHour, sumOfFields } from './fields.ts'

/** How far back it is looked for what a key requested, the current day included. */
export const USED_DAYS = 30

/** How many calls requested a root field. */
export interface FieldUsage {
  field: string
  calls: number
}

/** What a key requested in the last 30 days. */
export interface UsedFields {
  /** The most frequent first. */
  fields: FieldUsage[]
  /** From when on it is known: 30 days, or less if an older version counted calls without their fields. */
  knownSince: number
}

export async function usedFields({ db, now }: Ctx, keyId: string): Promise<UsedFields> {
  const from = now() - (now() % DAY) - (USED_DAYS - 1) * DAY
  const rows = await db
    .selectFrom('apiKeyUsage')
    .select(['calls', 'hour as at', 'seen', sql<string | null>`null`.as('fields')])
    .where('keyId', '=', keyId)
    .where('hour', '>=', from)
    .unionAll(
      db
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
