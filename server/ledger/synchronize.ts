import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { RESTORED, type RevocationStateTable, type RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import { hasLastRowsOf } from './comparison.ts'
import type { Ledger } from './ledger.ts'
import type { Agreed, LedgerFile } from './ledger-file.ts'
import type { Reconciled } from './restore-notice.ts'
import { type United, type Uniting, unite } from './unite.ts'

const COPIED_AT_ONCE = 2000

export interface Sides extends Pick<Uniting, 'origin' | 'installation' | 'acceptsOldPrimary' | 'newIncarnation'> {
  database: Database
  ledger: Ledger
  /** Which database it is: a copy is another one. Empty: not known. */
  identify(): string
}

/** Gives each what only the other has. Returns what was ended again in a database that had gone back. From then on its answers are believed. */
export async function synchronize(sides: Sides): Promise<Reconciled | undefined> {
  const { database, ledger } = sides
  const { read, point } = database
  const { doubts } = point
  ledger.use.require(sides.identify())
  const state = await read.selectFrom('revocationState').selectAll().executeTakeFirstOrThrow()
  if (isOnlyAhead(database, state, ledger.file) && (await hasLastRowsOf(read, ledger.file))) {
    if (!(await copyToLedger(read, ledger, state))) point.doubt()
    else point.settle(state, state.server, doubts)
    ledger.heldSince = state.heldSince
    return undefined
  }
  const { united, reconciled } = await uniteBoth(sides)
  point.settle(united.state, united.state.server, doubts)
  ledger.heldSince = united.state.heldSince
  return reconciled
}

/**
 * Unites until nothing is left to do. Processes that still use the database from before may add to the ledger while it
 * is read, and answer. Once it has the new incarnation they no longer do: so what they added is seen by one more look.
 */
async function uniteBoth({ database, ledger, identify: _, ...options }: Sides) {
  const { point, now } = database
  let reconciled: Reconciled | undefined
  let base = Number.POSITIVE_INFINITY
  for (;;) {
    const uniting: Uniting = { file: ledger.file, seen: point.seen, base, now: now(), ...options }
    const united: United = await database.transaction((db) => unite(db, uniting), {
      isLong: true,
      usesReserve: 'revoke', // it revokes again what a backup brought back
    })
    base = united.base
    reconciled = united.reconciled ?? reconciled
    const { state, missingInLedger } = united
    const isLast = missingInLedger.length === 0
    const addition = await ledger.copy(state.incarnation, missingInLedger, isLast ? state : undefined)
    if (addition === undefined || (isLast && addition === 'added')) return { united, reconciled }
  }
}

/** The plain case: the ledger has the beginning of what the database has. */
function isOnlyAhead({ point }: Database, state: RevocationStateTable, file: LedgerFile): boolean {
  const agreed = file.agreed()
  const head = file.head()
  const isWithin = (known: { incarnation: number; sequence: number }) =>
    known.sequence === 0 || (known.incarnation === state.incarnation && known.sequence <= state.sequence)
  return (
    state.installation !== '' &&
    state.incarnation !== RESTORED &&
    !point.isDoubted &&
    (point.server === undefined || point.server === state.server) &&
    (agreed === undefined || (isSame(agreed, state) && agreed.sequence <= state.sequence)) &&
    (head === undefined || isWithin(head)) &&
    isWithin(point.seen)
  )
}

const isSame = (agreed: Agreed, { installation, incarnation }: RevocationStateTable) =>
  agreed.installation === installation && agreed.incarnation === incarnation

/** In parts, with others in between: a new ledger gets everything. False: the database is no longer what it was. */
async function copyToLedger(db: Db, ledger: Ledger, state: RevocationStateTable): Promise<boolean> {
  let from = ledger.file.agreed()?.sequence ?? 0
  ledger.behind = state.sequence - from
  while (from < state.sequence) {
    const to = Math.min(from + COPIED_AT_ONCE, state.sequence)
    const rows = await rowsBetween(db, state, { from, to })
    if (!rows) return false
    const addition = await ledger.copy(state.incarnation, rows, to === state.sequence ? state : undefined)
    if (addition === 'superseded') return false
    if (addition === undefined) return true // it is tried again from there
    from = to
    await yieldToEventLoop()
  }
  return true
}

/** Together with the state that they belong to; undefined: the database has another one. */
async function rowsBetween(
  db: Db,
  { incarnation }: RevocationStateTable,
  { from, to }: { from: number; to: number },
): Promise<RevocationTable[] | undefined> {
  const rows = await db
    .selectFrom('revocationState as state')
    .leftJoin('revocation as row', (join) => join.on('row.sequence', '>', from).on('row.sequence', '<=', to))
    .selectAll('row')
    .where('state.incarnation', '=', incarnation)
    .where('state.sequence', '>=', to)
    .execute()
  return rows.length === 0 ? undefined : rows.filter(isRow)
}

/** The state alone has an answer without one. */
const isRow = (row: { [Column in keyof RevocationTable]: RevocationTable[Column] | null }): row is RevocationTable =>
  row.sequence !== null
