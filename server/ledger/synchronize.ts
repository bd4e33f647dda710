import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { LedgerFile } from '../db/ledger-file.ts'
import type { RevocationStateTable, RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import type { Ledger } from './ledger.ts'
import type { Reconciled } from './restore-notice.ts'
import { type Uniting, unite } from './unite.ts'

const COPIED_AT_ONCE = 2000

export interface Sides extends Pick<Uniting, 'origin' | 'acceptsOldPrimary'> {
  database: Database
  ledger: Ledger
}

/**
 * Makes the ledger and the database the same: each gets what only the other has. Returns what was ended again in a
 * database that had gone back; undefined if it had everything. From then on its answers are believed.
 */
export async function synchronize({ database, ledger, ...options }: Sides): Promise<Reconciled | undefined> {
  const { read, point, now } = database
  const { file } = ledger
  const { doubts } = point
  const state = await read.selectFrom('revocationState').selectAll().executeTakeFirstOrThrow()
  if (isOnlyAhead(database, state, file)) {
    await copyToLedger(read, ledger, state)
    point.settle(state, state.server, doubts)
    return undefined
  }
  const seen = point.seen
  const united = await database.transaction((db) => unite(db, { file, seen, now: now(), ...options }), {
    noTimeout: true,
    usesReserve: 'revoke', // it revokes again what a backup brought back
  })
  await ledger.copy(united.missingInLedger, united.state)
  point.settle(united.state, united.state.server, doubts)
  return united.reconciled
}

/** The plain case: the ledger has the beginning of what the database has. */
function isOnlyAhead({ point }: Database, state: RevocationStateTable, file: LedgerFile): boolean {
  const agreed = file.agreed()
  const head = file.head()
  const isWithin = (known: { incarnation: number; sequence: number }) =>
    known.sequence === 0 || (known.incarnation === state.incarnation && known.sequence <= state.sequence)
  return (
    state.installation !== '' &&
    !point.isDoubted &&
    (point.server === undefined || point.server === state.server) &&
    (agreed === undefined || (agreed.installation === state.installation && isWithin(agreed))) &&
    (head === undefined || isWithin(head)) &&
    isWithin(point.seen)
  )
}

/** In parts, with others in between: a new ledger gets everything. */
async function copyToLedger(db: Db, ledger: Ledger, state: RevocationStateTable): Promise<void> {
  let from = ledger.file.agreed()?.sequence ?? 0
  ledger.behind = state.sequence - from
  while (from < state.sequence) {
    const to = Math.min(from + COPIED_AT_ONCE, state.sequence)
    await ledger.copy(await rowsBetween(db, from, to), to === state.sequence ? state : undefined)
    from = to
    await yieldToEventLoop()
  }
}

const rowsBetween = (db: Db, after: number, to: number): Promise<RevocationTable[]> =>
  db.selectFrom('revocation').selectAll().where('sequence', '>', after).where('sequence', '<=', to).execute()
