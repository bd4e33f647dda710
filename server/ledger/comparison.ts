import type { RevocationPoint } from '../db/known-point.ts'
import type { LedgerFile } from '../db/ledger-file.ts'
import type { RevocationStateTable, RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import { GapFinder, type MissingRange } from './gap.ts'
import { pagesAfter } from './pages.ts'

/** A different past shows in the last of so many. */
const LAST_ROWS = 100

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

interface Comparing {
  state: RevocationStateTable
  file: LedgerFile
  known: RevocationPoint
  base?: number | undefined
  /** How many rows of each side are in memory at once, where that is not as in production. */
  readAtOnce?: number
}

/** Compares the ledger with the database, whose state the caller has locked. */
export async function compare(
  db: Db,
  { state, file, known, base: atMost = Number.POSITIVE_INFINITY, ...options }: Comparing,
): Promise<Comparison> {
  const base = Math.min(atMost, await lastCommon(db, state, file))
  const missingInDatabase: RevocationTable[] = []
  const missingInLedger: RevocationTable[] = []
  let highest = Math.max(base, state.sequence, known.sequence)
  const latest = latestOf(file.head(), known)
  const finder = new GapFinder(base, latest)
  for await (const { inDatabase, inLedger } of pagesAfter(base, { db, file, ...options })) {
    const onlyInLedger = without(inLedger, inDatabase)
    for (const row of onlyInLedger) missingInDatabase.push(row)
    for (const row of without(inDatabase, inLedger)) missingInLedger.push(row)
    const all = [...inDatabase, ...onlyInLedger].sort((a, b) => a.sequence - b.sequence)
    finder.add(all)
    highest = Math.max(highest, all.at(-1)?.sequence ?? 0)
  }
  const isWithin = state.incarnation === latest.incarnation && state.sequence >= latest.sequence
  const gap = isWithin ? undefined : finder.gap
  const wentBack = missingInDatabase.length > 0 || gap !== undefined
  return { base, missingInDatabase, missingInLedger, highest, wentBack, gap }
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
  for await (const { inDatabase, inLedger } of pagesAfter(0, { db, file }))
    if (without(inLedger, inDatabase).length > 0) return false
  return true
}

const latestOf = (head: RevocationPoint | undefined, known: RevocationPoint) =>
  head && head.sequence >= known.sequence ? head : known

function without(rows: RevocationTable[], others: RevocationTable[]): RevocationTable[] {
  const known = new Set(others.map(identityOf))
  return rows.filter((row) => !known.has(identityOf(row)))
}

const identityOf = ({ sequence, incarnation, kind, organizationId, subject, endsAt }: RevocationTable) =>
  [sequence, incarnation, kind, organizationId, subject, endsAt].join(' ')
