import { sql } from 'kysely'
import type { Retention } from '../../config/retention-period.ts'
import type { ApiKeyUsageDayTable, ApiKeyUsageTable } from '../../db/api-key-tables.ts'
import type { Database } from '../../db/database.ts'
import { inParts } from '../../db/in-parts.ts'
import type { Db } from '../../db/tables.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { HOURS_KEPT_MS } from './read-usage.ts'
import { type FieldCounts, fieldsOfDay, fieldsOfHour, writeFields } from './used-fields.ts'

const ROWS_AT_ONCE = 200

/** The first day whose usage is not deleted yet. */
export const storedSince = (now: number, { usageDays }: Pick<Retention, 'usageDays'>): number =>
  now - (now % DAY) - usageDays * DAY

/** Adds hours up into days once they are no longer shown one by one, and deletes days after so many. */
export async function compactUsage(
  database: Database,
  now: number,
  retention: Pick<Retention, 'usageDays'>,
): Promise<void> {
  const hoursUntil = now - (now % HOUR) - HOURS_KEPT_MS
  const daysFrom = storedSince(now, retention)
  await inParts(database, (db) => hoursBefore(db, hoursUntil).execute(), addUpHours)
  if (Number.isFinite(daysFrom)) await inParts(database, (db) => daysBefore(db, daysFrom).execute(), deleteDays)
}

/** The oldest first, by the index on the hour. */
export const hoursBefore = (db: Db, until: number) =>
  db
    .selectFrom('apiKeyUsage')
    .select(['keyId', 'hour', 'writer'])
    .where('hour', '<', until)
    .orderBy('hour')
    .limit(ROWS_AT_ONCE)

export const daysBefore = (db: Db, from: number) =>
  db.selectFrom('apiKeyUsageDay').select(['keyId', 'day']).where('day', '<', from).orderBy('day').limit(ROWS_AT_ONCE)

/** Deletes the hours and adds to the days in one transaction, so that every call is counted exactly once. */
async function addUpHours(db: Db, old: Pick<ApiKeyUsageTable, 'keyId' | 'hour' | 'writer'>[]): Promise<void> {
  const taken = await db
    .deleteFrom('apiKeyUsage')
    .where((eb) => {
      const keys = old.map(({ keyId, hour, writer }) => eb.tuple(keyId, hour, writer))
      return eb(eb.refTuple('keyId', 'hour', 'writer'), 'in', keys)
    })
    .returning(['keyId', 'hour', 'calls', 'errors', 'seen'])
    .execute()
  if (taken.length === 0) return
  const days = addedUp(taken)
  const before = await fieldsOfDays(db, days)
  await db
    .insertInto('apiKeyUsageDay')
    .values(
      days.map(({ hours, ...day }) => ({
        ...day,
        fields: writeFields([...hours.map(fieldsOfHour), ...(before.get(nameOf(day)) ?? [])]),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['keyId', 'day']).doUpdateSet({
        calls: sql`"apiKeyUsageDay"."calls" + "excluded"."calls"`,
        errors: sql`"apiKeyUsageDay"."errors" + "excluded"."errors"`,
        fields: sql`"excluded"."fields"`,
      }),
    )
    .execute()
}

const nameOf = ({ keyId, day }: Pick<ApiKeyUsageDayTable, 'keyId' | 'day'>) => `${keyId} ${day}`

/** What these days have already. Nobody else adds to them: this work is done by one process at a time. */
async function fieldsOfDays(
  db: Db,
  days: Pick<ApiKeyUsageDayTable, 'keyId' | 'day'>[],
): Promise<Map<string, (FieldCounts | null)[]>> {
  const rows = await db
    .selectFrom('apiKeyUsageDay')
    .select(['keyId', 'day', 'fields'])
    .where((eb) => {
      const keys = days.map(({ keyId, day }) => eb.tuple(keyId, day))
      return eb(eb.refTuple('keyId', 'day'), 'in', keys)
    })
    .execute()
  return new Map(rows.map((row) => [nameOf(row), [fieldsOfDay(row)]]))
}

async function deleteDays(db: Db, old: Pick<ApiKeyUsageDayTable, 'keyId' | 'day'>[]): Promise<void> {
  await db
    .deleteFrom('apiKeyUsageDay')
    .where((eb) =>
      eb(
        eb.refTuple('keyId', 'day'),
        'in',
        old.map(({ keyId, day }) => eb.tuple(keyId, day)),
      ),
    )
    .execute()
}

type Hour = Omit<ApiKeyUsageTable, 'writer'>

/** One row for each key and day, in the order in which all processes write them. */
function addedUp(hours: Hour[]) {
  const days = Map.groupBy(hours, ({ keyId, hour }) => `${keyId} ${hour - (hour % DAY)}`)
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, [first, ...others]]) => {
      if (!first) throw new Error('A group has members.')
      const day = first.hour - (first.hour % DAY)
      const sum = (count: 'calls' | 'errors') => others.reduce((total, hour) => total + hour[count], first[count])
      return { keyId: first.keyId, day, calls: sum('calls'), errors: sum('errors'), hours: [first, ...others] }
    })
}
