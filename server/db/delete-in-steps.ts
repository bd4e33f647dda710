import { setTimeout as pause } from 'node:timers/promises'
import type { DeleteQueryBuilder, DeleteResult } from 'kysely'
import { SECOND } from '../lib/clock.ts'
import { BACKGROUND_WORK } from './connection-waits.ts'
import type { Database } from './database.ts'
import { tryAdvisoryLock } from './locks.ts'
import type { Db, Tables } from './tables.ts'

/** One statement deletes so many in some milliseconds. */
const ROWS_AT_ONCE = 250
/** Between two steps others go first: for at least this long, and the longer, the longer a step takes. */
const REST_MS = 10
const RESTS_A_STEP = 4
/** Then the other background jobs have their turn, and the next round goes on. */
const ROUND_MS = 10 * SECOND

/** Old rows of one table, in the order of their ids, which begin with the time of their creation. */
export interface OldRows {
  /** At most so many rows after this id, with those that stay. It reads outside of a transaction, and locks nothing. */
  find(db: Db, after: string, limit: number): Promise<{ id: string; stays?: boolean }[]>
  /** Deletes those of them that are still old: some may have been changed since they were found. */
  delete(db: Db, ids: string[]): DeleteQueryBuilder<Tables, keyof Tables, DeleteResult>
}

export interface StepOptions {
  /** Rows up to this id are known to stay. */
  after?: string
  isClosing?: () => boolean
  roundMs?: number
  onDeleted?: (rows: number) => void
}

/** Deletes old rows in short transactions with pauses, for a while and where no other process does. Returns the id after which there may be more. */
export async function deleteInSteps(
  { read, transaction }: Database,
  rows: OldRows,
  { after: from = '', isClosing = () => false, roundMs = ROUND_MS, onDeleted = () => {} }: StepOptions = {},
): Promise<string> {
  const until = performance.now() + roundMs
  let after = from
  while (!isClosing() && performance.now() < until) {
    const began = performance.now()
    const found = await rows.find(read, after, ROWS_AT_ONCE)
    const ids = found.filter(({ stays }) => !stays).map(({ id }) => id)
    if (ids.length > 0) {
      const isOurs = await transaction(
        async (db) => {
          if (!(await tryAdvisoryLock(db))) return false
          await rows.delete(db, ids).execute()
          return true
        },
        { organizationId: BACKGROUND_WORK, moreFollows: true }, // if the machine crashes, it is done again
      )
      if (!isOurs) break
      onDeleted(ids.length)
    }
    after = found.at(-1)?.id ?? after
    if (found.length < ROWS_AT_ONCE) break
    await pause(Math.max(REST_MS, RESTS_A_STEP * (performance.now() - began)))
  }
  return after
}
