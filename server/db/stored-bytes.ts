import { type InsertQueryBuilder, type InsertResult, sql } from 'kysely'
import { DAY, HOUR } from '../lib/clock.ts'
import { type Budget, mostBytes, overBudget, STORED_KINDS, type StoredKind } from './byte-budgets.ts'
import { preparedWrite } from './prepared.ts'
import type { StoredBytesTable } from './stored-bytes-table.ts'
import type { Db, Tables } from './tables.ts'
import type { Transaction } from './transaction.ts'

/*
 * How many bytes an organization stores: counted in the transaction that stores them, and a constraint of the table
 * refuses what is too much. So the count is right after a crash, beside other processes and after a restore, and on
 * PostgreSQL it takes no round trip of its own. What is counted for a period is forgotten with it, and not with the rows,
 * so that no way in which rows are deleted can leave a wrong count behind.
 */

type Counted = Omit<StoredBytesTable, 'atMost'>

/** Fails with `LIMIT_EXCEEDED` if there are then more than the budget has. On PostgreSQL others wait for the row: so it comes last. */
export async function countStored(db: Transaction, counted: Counted, budget: Budget): Promise<void> {
  try {
    await db.defer(addition(db, { ...counted, atMost: mostBytes(counted.kind, budget) }))
  } catch (error) {
    throw overBudget(error) ?? error
  }
}

const addition = preparedWrite((db, values: StoredBytesTable & Record<string, unknown>) => {
  const { organizationId, kind, period, bytes, atMost } = values
  return addedBytes(db.insertInto('storedBytes').values({ organizationId, kind, period, bytes, atMost }))
})

/** Adds to the bytes that were counted before. */
export const addedBytes = (insert: InsertQueryBuilder<Tables, 'storedBytes', InsertResult>) =>
  insert.onConflict((conflict) =>
    conflict.columns(['organizationId', 'kind', 'period']).doUpdateSet((eb) => ({
      bytes: sql<number>`"storedBytes"."bytes" + excluded."bytes"`,
      atMost: eb.ref('excluded.atMost'),
    })),
  )

/** Forgets periods that are over, and what was counted in them: an answer that was recorded in an hour has expired 25 hours after it began. */
export async function forgetPeriods(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('storedBytes')
    .where('kind', '=', 'audit_bytes_a_day')
    .where('period', '<', dayOf(now) - DAY)
    .execute()
  const expired = await db
    .deleteFrom('storedBytes')
    .where('kind', '=', 'answer_bytes')
    .where('period', '>', ALL_PERIODS)
    .where('period', '<=', now - DAY - HOUR)
    .returning(['organizationId', 'bytes'])
    .execute()
  for (const { organizationId, bytes } of expired.toSorted((a, b) => (a.organizationId < b.organizationId ? -1 : 1)))
    await db
      .updateTable('storedBytes')
      .set({ bytes: sql<number>`"bytes" - ${bytes}` })
      .where('organizationId', '=', organizationId)
      .where('kind', '=', 'answer_bytes')
      .where('period', '=', ALL_PERIODS)
      .execute()
}

/** The largest number of bytes that an organization has of each kind, today or in all. */
export async function largestStored(db: Db, now: number): Promise<Map<StoredKind, number>> {
  const rows = await db
    .selectFrom('storedBytes')
    .select((eb) => ['kind', eb.fn.max('bytes').as('bytes')])
    .where('kind', 'in', STORED_KINDS)
    .where('period', 'in', [ALL_PERIODS, dayOf(now)])
    .groupBy('kind')
    .execute()
  return new Map(rows.map(({ kind, bytes }) => [kind, bytes]))
}

/** In place of a period. */
export const ALL_PERIODS = 0

export const dayOf = (at: number) => at - (at % DAY)
export const hourOf = (at: number) => at - (at % HOUR)
