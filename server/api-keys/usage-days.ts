import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { DAY, HOUR } from '../lib/clock.ts'
import { DAYS_KEPT_MS, HOURS_KEPT_MS } from './usage-read.ts'

const ROWS_AT_ONCE = 200

/** Adds hours up into days once they are no longer shown one by one, and drops the days that are shown no more. */
export async function compactUsage(database: Database, now: number): Promise<void> {
  const hoursUntil = now - (now % HOUR) - HOURS_KEPT_MS
  while ((await addUpHours(database, hoursUntil)) === ROWS_AT_ONCE) await turn() // requests that have come go first
  const daysFrom = now - (now % DAY) - DAYS_KEPT_MS
  await database.transaction((db) => db.deleteFrom('apiKeyUsageDay').where('day', '<', daysFrom).execute())
}

/** What is taken away and what is added is one transaction: a call is counted once, whoever looks and whatever breaks. */
function addUpHours(database: Database, until: number): Promise<number> {
  return database.transaction(async (db) => {
    const old = db
      .selectFrom('apiKeyUsage')
      .select(['keyId', 'hour', 'writer'])
      .where('hour', '<', until)
      .orderBy('keyId')
      .limit(ROWS_AT_ONCE)
    const taken = await db
      .deleteFrom('apiKeyUsage')
      .where((eb) => eb(eb.refTuple('keyId', 'hour', 'writer'), 'in', old.$asTuple('keyId', 'hour', 'writer')))
      .returning(['keyId', 'hour', 'calls', 'errors'])
      .execute()
    if (taken.length === 0) return 0
    await db
      .insertInto('apiKeyUsageDay')
      .values(addedUp(taken))
      .onConflict((conflict) =>
        conflict.columns(['keyId', 'day']).doUpdateSet({
          calls: sql`"apiKeyUsageDay"."calls" + "excluded"."calls"`,
          errors: sql`"apiKeyUsageDay"."errors" + "excluded"."errors"`,
        }),
      )
      .execute()
    return taken.length
  })
}

interface Hour {
  keyId: string
  hour: number
  calls: number
  errors: number
}

/** One row for each key and day, in the order in which everybody writes them. */
function addedUp(hours: Hour[]) {
  const days = Map.groupBy(hours, ({ keyId, hour }) => `${keyId} ${hour - (hour % DAY)}`)
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, [first, ...others]]) => {
      if (!first) throw new Error('A group has members.')
      const day = first.hour - (first.hour % DAY)
      const sum = (count: 'calls' | 'errors') => others.reduce((total, hour) => total + hour[count], first[count])
      return { keyId: first.keyId, day, calls: sum('calls'), errors: sum('errors') }
    })
}
