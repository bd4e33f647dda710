import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { RevocationPoint } from '../db/known-point.ts'
import type { LedgerFile } from '../db/ledger-file.ts'
import type { RevocationStateTable, RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'

const ALL = 1e9
/** A different past shows in the last of so many. */
const LAST_ROWS = 100
/** More than have the same sequence, one for each incarnation. */
const READ_AT_ONCE = 2000

/** What each side has and the other has not, after the last point at which both were the same. */
export interface Comparison {
  /** Up to this sequence nothing was compared. */
  base: number
  missingInDatabase: RevocationTable[]
  missingInLedger: RevocationTable[]
  /** The highest sequence that either side has. */
  highest: number
  /** The database has a revocation less than is known, from the ledger or to this process. */
  wentBack: boolean
  /** Revocations that are known to have happened and that neither side has; undefined: none. */
  gap: MissingRange | undefined
}

/** The revocations of an incarnation, from the first that is missing to the last. */
export interface MissingRange {
  incarnation: number
  first: number
  last: number
}

interface Comparing {
  state: RevocationStateTable
  file: LedgerFile
  known: RevocationPoint
  base?: number | undefined
}

/** Compares the ledger with the database, whose state the caller has locked. */
export async function compare(
  db: Db,
  { state, file, known, base: atMost = Number.POSITIVE_INFINITY }: Comparing,
): Promise<Comparison> {
  const base = Math.min(atMost, await lastCommon(db, state, file))
  const inDatabase = await db.selectFrom('revocation').selectAll().where('sequence', '>', base).execute()
  const inLedger = file.rowsSince(base, ALL)
  const missingInDatabase = without(inLedger, inDatabase)
  const missingInLedger = without(inDatabase, inLedger)
  const all = [...inDatabase, ...missingInDatabase]
  const highest = all.reduce(
    (most, { sequence }) => Math.max(most, sequence),
    Math.max(base, state.sequence, known.sequence),
  )
  const gap = gapIn(all, { base, state, known: latest(file.head(), known) })
  return {
    base,
    missingInDatabase,
    missingInLedger,
    highest,
    wentBack: missingInDatabase.length > 0 || gap !== undefined,
    gap,
  }
}

/**
 * The sequence up to which both have the same. They agreed on it once, and the database may be older than that. Since
 * then rows may have come in below it if the incarnation is another one; then, or if their last rows up to there
 * differ, everything is compared.
 */
async function lastCommon(db: Db, state: RevocationStateTable, file: LedgerFile): Promise<number> {
  const agreed = file.agreed()
  if (agreed?.incarnation !== state.incarnation) return 0
  const base = Math.min(agreed.sequence, state.sequence)
  const inLedger = file.rowsUpTo(base, LAST_ROWS)
  const inDatabase = await db
    .selectFrom('revocation')
    .selectAll()
    .where('sequence', '<=', base)
    .orderBy('sequence', 'desc')
    .limit(LAST_ROWS)
    .execute()
  return without(inLedger, inDatabase).length + without(inDatabase, inLedger).length === 0 ? base : 0
}

/**
 * Whether the database has the last rows of the ledger. Another copy of it may have come to the same sequence in the
 * same incarnation: one that was put aside, and then put back, after an earlier copy had been used for a while.
 */
export async function hasLastRowsOf(db: Db, file: LedgerFile): Promise<boolean> {
  const rows = file.rowsUpTo(Number.MAX_SAFE_INTEGER, LAST_ROWS)
  const sequences = [...new Set(rows.map(({ sequence }) => sequence))]
  if (sequences.length === 0) return true
  const found = await db.selectFrom('revocation').selectAll().where('sequence', 'in', sequences).execute()
  return without(rows, found).length === 0
}

/** Whether the database has every row of the ledger, however old. */
export async function hasAllRowsOf(db: Db, file: LedgerFile): Promise<boolean> {
  for (let from = 0; ; ) {
    const rows = file.rowsSince(from, READ_AT_ONCE)
    const to = rows.at(-1)?.sequence
    if (to === undefined) return true
    const found = await db
      .selectFrom('revocation')
      .selectAll()
      .where('sequence', '>', from)
      .where('sequence', '<=', to)
      .execute()
    if (without(rows, found).length > 0) return false
    from = rows.length < READ_AT_ONCE ? to : to - 1 // of the last sequence there may be more
    await yieldToEventLoop()
  }
}

const latest = (head: RevocationPoint | undefined, known: RevocationPoint) =>
  head && head.sequence >= known.sequence ? head : known

/** Within an incarnation every number is given once. Below its first one, everything was settled when it began. */
function gapIn(
  rows: RevocationTable[],
  { base, state, known }: { base: number; state: RevocationStateTable; known: RevocationPoint },
): MissingRange | undefined {
  const { incarnation, sequence: last } = known
  if (state.incarnation === incarnation && state.sequence >= last) return undefined
  const mine = rows.filter((row) => row.incarnation === incarnation)
  const began = mine.find(({ kind }) => kind === 'INCARNATION')?.sequence ?? 0
  const have = new Set(mine.map(({ sequence }) => sequence))
  let first = Math.max(base + 1, began)
  while (have.has(first)) first++
  let end = last
  while (have.has(end)) end--
  return first <= end ? { incarnation, first, last: end } : undefined
}

function without(rows: RevocationTable[], others: RevocationTable[]): RevocationTable[] {
  const known = new Set(others.map(identityOf))
  return rows.filter((row) => !known.has(identityOf(row)))
}

const identityOf = ({ sequence, incarnation, kind, organizationId, subject, endsAt }: RevocationTable) =>
  [sequence, incarnation, kind, organizationId, subject, endsAt].join(' ')
