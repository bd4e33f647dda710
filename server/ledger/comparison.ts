import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { RevocationPoint } from '../db/known-point.ts'
import type { RevocationStateTable, RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import type { LedgerFile } from './ledger-file.ts'

/** A different past shows in the last of so many. */
const LAST_ROWS = 100

/** What each side has and the other has not, after the last point at which both were the same. */
export interface Comparison {
  /** Up to this sequence nothing was compared. */
  base: number
  missingInDatabase: RevocationTable[]
  missingInLedger: RevocationTable[]
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

/** Whether it has the last rows of the ledger: another copy of it may have come to the same sequence. */
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

const READ_AT_ONCE = 2000

/** What both sides have in the same range of sequences, in order. */
interface Page {
  inDatabase: RevocationTable[]
  inLedger: RevocationTable[]
}

/** Both sides after a sequence, side by side. There may be a million of them, so they are never all in memory. */
async function* pagesAfter(
  sequence: number,
  { db, file, readAtOnce = READ_AT_ONCE }: { db: Db; file: LedgerFile; readAtOnce?: number },
): AsyncGenerator<Page> {
  let limit = readAtOnce
  for (let from = sequence; from < Number.POSITIVE_INFINITY; ) {
    const inDatabase = await db
      .selectFrom('revocation')
      .selectAll()
      .where('sequence', '>', from)
      .orderBy('sequence')
      .limit(limit)
      .execute()
    const inLedger = file.rowsSince(from, limit)
    const to = Math.min(completeUpTo(inDatabase, limit), completeUpTo(inLedger, limit))
    const isWithin = (row: RevocationTable) => row.sequence <= to
    if (to > from) yield { inDatabase: inDatabase.filter(isWithin), inLedger: inLedger.filter(isWithin) }
    limit = to > from ? readAtOnce : 2 * limit // more have the same sequence than were read
    from = to
    await yieldToEventLoop()
  }
}

/** The last sequence of a full page may have more rows. */
const completeUpTo = (rows: RevocationTable[], limit: number) =>
  rows.length < limit ? Number.POSITIVE_INFINITY : (rows.at(-1)?.sequence ?? 0) - 1

/** The revocations of an incarnation, from the first that is missing to the last. */
export interface MissingRange {
  incarnation: number
  first: number
  last: number
}

/** Finds what is missing up to a known point. In an incarnation every number is given once, from its first one on. */
export class GapFinder {
  readonly #known: RevocationPoint
  #firstMissing: number
  /** From here up to the last row nothing is missing. */
  #since = 0
  #last = 0

  constructor(base: number, known: RevocationPoint) {
    this.#known = known
    this.#firstMissing = base + 1
  }

  add(rows: Iterable<RevocationTable>): void {
    const { incarnation, sequence: upTo } = this.#known
    for (const row of rows) {
      if (row.incarnation !== incarnation || row.sequence > upTo) continue
      if (row.kind === 'INCARNATION') this.#firstMissing = Math.max(this.#firstMissing, row.sequence)
      if (row.sequence === this.#firstMissing) this.#firstMissing++
      if (row.sequence > this.#last + 1) this.#since = row.sequence
      this.#last = row.sequence
    }
  }

  get gap(): MissingRange | undefined {
    const { incarnation, sequence } = this.#known
    const last = this.#last === sequence ? this.#since - 1 : sequence
    return this.#firstMissing <= last ? { incarnation, first: this.#firstMissing, last } : undefined
  }
}
