import { setTimeout as pause } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type { Database } from '../../server/db/database.ts'
import { deferredRows } from '../../server/db/locks.ts'
import type { Db } from '../../server/db/tables.ts'
import type { openWithLedger } from '../../server/ledger/open.ts'

const LATE_MS = 30

type Options = Parameters<typeof openWithLedger>[1]

/** A ledger that is built wrongly: how the database is opened, or what is done with it. */
interface PlantedLedger {
  options?: Partial<Options>
  plant?: (database: Database) => Database
}

export const SEQUENCE_TAKEN_EARLY = 'a sequence that is taken before the order of commits is fixed'
export const NO_NEW_INCARNATION = 'no new incarnation'

export const PLANTED_LEDGERS: Record<string, PlantedLedger> = {
  [SEQUENCE_TAKEN_EARLY]: { plant: withEarlySequence },
  [NO_NEW_INCARNATION]: { options: { newIncarnation: (before) => before || 1 } },
}

/** As a sequence of PostgreSQL would give it: at once, and for good. */
function withEarlySequence(database: Database): Database {
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction((db) => {
        takeEarly(db, database.read)
        return work(db)
      }, options),
  }
}

function takeEarly(db: Db, read: Db): void {
  const execute = db.executeQuery.bind(db)
  let taken = 0
  const early = async (query: CompiledQuery) => {
    if (query.sql.startsWith('update "revocationState" set "sequence" =')) {
      const { rows } = await read.executeQuery<{ sequence: number }>(
        CompiledQuery.raw(`${query.sql} returning "sequence"`, [...query.parameters]),
      )
      taken = rows[0]?.sequence ?? 0
      return { rows: [] }
    }
    const onRows = deferredRows(query)
    if (!onRows || !query.sql.startsWith('insert into "revocation"')) return execute(query)
    await pause(Math.random() * LATE_MS)
    const result = await execute(
      CompiledQuery.raw(query.sql.replaceAll('"state"."sequence"', String(taken)), [...query.parameters]),
    )
    onRows(result.rows)
    return result
  }
  db.executeQuery = early as Db['executeQuery'] // which has the type of the rows besides
}
