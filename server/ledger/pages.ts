import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { LedgerFile } from '../db/ledger-file.ts'
import type { RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'

const READ_AT_ONCE = 2000

/** What both sides have in the same range of sequences, in order. */
export interface Page {
  inDatabase: RevocationTable[]
  inLedger: RevocationTable[]
}

/** Both sides after a sequence, side by side. There may be a million of them, so they are never all in memory. */
export async function* pagesAfter(
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
