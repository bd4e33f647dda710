import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Compilable, CompiledQuery } from 'kysely'
import type { Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { loggingRevocations } from '../../server/db/revocations.ts'
import type { Db } from '../../server/db/tables.ts'
import type { Transaction } from '../../server/db/transaction.ts'
import { Ledger } from '../../server/ledger/ledger.ts'
import type { openWithLedger } from '../../server/ledger/open-ledger.ts'

const LATE_MS = 30
const AFTER_ANSWER_MS = 200
const SLOW_MS = 30

/** A ledger that is built wrongly. */
interface PlantedLedger {
  plant?: (database: Database, ledger: Ledger) => Database
  /** In place of `openWithLedger`. */
  open?: typeof openWithLedger
}

export const SEQUENCE_TAKEN_EARLY = 'a sequence that is taken before the order of commits is fixed'

export const ADDED_AFTER_ANSWER = 'a ledger that is written after the answer'
export const FORGETS = 'a process that forgets what it has seen'
export const NO_UNION = 'no union at the start'
/** A slow ledger is no fault: it is where processes are killed. */
export const SLOW_LEDGER = 'a slow ledger'

export const PLANTED_LEDGERS: Record<string, PlantedLedger> = {
  [SEQUENCE_TAKEN_EARLY]: { plant: withEarlySequence },
  [ADDED_AFTER_ANSWER]: { plant: addedAfterAnswer },
  [FORGETS]: { plant: forgetting },
  [NO_UNION]: { open: openWithoutUnion },
  [SLOW_LEDGER]: { plant: withSlowLedger },
}

function addedAfterAnswer(database: Database, ledger: Ledger): Database {
  const add = ledger.add.bind(ledger)
  ledger.add = async (rows) => {
    void pause(AFTER_ANSWER_MS).then(() => add(rows))
    return 'added'
  }
  return database
}

function withSlowLedger(database: Database, ledger: Ledger): Database {
  const add = ledger.add.bind(ledger)
  let before: Promise<unknown> = Promise.resolve()
  ledger.add = async (rows) => {
    before = before.then(() => pause(Math.random() * SLOW_MS)) // in the order of commits, as without it
    await before
    return add(rows)
  }
  return database
}

/** Answers are believed, whatever was seen before. */
function forgetting(database: Database): Database {
  const { point } = database
  point.require = () => {}
  point.doubt = () => {}
  return database
}

async function openWithoutUnion(...[config, options]: Parameters<typeof openWithLedger>) {
  const plain = await openDatabase(config, options)
  const { applied } = await migrate(plain)
  const ledger = new Ledger(config.ledger ?? join(config.dataDir, 'revoked.db'), options.log)
  return { database: loggingRevocations(plain, ledger), ledger, applied, isNewLedger: false, copy: undefined }
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

function takeEarly(db: Transaction, read: Db): void {
  const defer = db.defer.bind(db)
  let taken = 0
  const early = async (given: Compilable, onRows: (rows: never[]) => void = () => {}) => {
    const query = given.compile()
    if (query.sql.startsWith('update "revocationState" set "sequence" =')) {
      const { rows } = await read.executeQuery<{ sequence: number }>(
        CompiledQuery.raw(`${query.sql} returning "sequence"`, [...query.parameters]),
      )
      taken = rows[0]?.sequence ?? 0
      return
    }
    if (!query.sql.startsWith('insert into "revocation"')) return defer(given, onRows)
    await pause(Math.random() * LATE_MS)
    const { rows } = await db.executeQuery<never>(
      CompiledQuery.raw(query.sql.replaceAll('"state"."sequence"', String(taken)), [...query.parameters]),
    )
    onRows(rows)
  }
  db.defer = early as Transaction['defer'] // its type has that of the rows besides
}
