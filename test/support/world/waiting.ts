import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { MINUTE } from '../../../server/lib/clock.ts'
import type { World } from './world.ts'

/** For worlds in which somebody is made to wait: on a busy machine, nobody is cut off for it. */
export const PATIENT = { statementMs: MINUTE, answerMs: MINUTE, idleInTransactionMs: MINUTE, connectionMs: MINUTE }

/** Begins what has to wait for a transaction that is under way; comes back once it does, as one of so many. */
export async function untilItWaits<Result>(
  world: World,
  work: () => Promise<Result>,
  { oneOf = 1 } = {},
): Promise<{ done: Promise<Result> }> {
  const begun = vi.spyOn(world.database, 'transaction')
  const done = work()
  if (world.config.postgres)
    await expect.poll(() => lockedOut(world), { timeout: 10_000 }).toBeGreaterThanOrEqual(oneOf)
  else await vi.waitUntil(() => begun.mock.calls.length > 0, { timeout: 10_000 })
  begun.mockRestore()
  return { done }
}

/** How many wait for somebody's lock in the database of this world. */
async function lockedOut({ database }: World): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database.read)
  return rows[0]?.count ?? 0
}
