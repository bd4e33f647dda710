import type { ApiKeyCallLogTable } from '../../db/api-key-tables.ts'
import type { Database } from '../../db/database.ts'
import { inParts } from '../../db/in-parts.ts'
import { forUpdate } from '../../db/locks.ts'
import type { Db } from '../../db/tables.ts'
import { callsIn } from './call-lines.ts'
import { CALLS_STORED_MS } from './read-calls.ts'

const ROWS_AT_ONCE = 25

/** Deletes calls that are older than a day, in short transactions, by one process at a time. */
export function deleteOldCalls(database: Database, now: number, isClosing?: () => boolean): Promise<void> {
  const since = now - CALLS_STORED_MS
  const find = (db: Db) => logsBefore(db, since).execute()
  const work = async (db: Db, found: Awaited<ReturnType<typeof find>>) => {
    for (const row of await lockRows(db, found)) await shorten(db, row, since)
  }
  return inParts(database, find, work, isClosing)
}

/** By the index on the oldest call. */
export const logsBefore = (db: Db, since: number) =>
  db
    .selectFrom('apiKeyCallLog')
    .select(['keyId', 'writer'])
    .where('since', '<=', since)
    .orderBy('since')
    .limit(ROWS_AT_ONCE)

/** In the order in which a process writes them. */
const lockRows = (db: Db, found: Pick<ApiKeyCallLogTable, 'keyId' | 'writer'>[]) =>
  forUpdate(
    db,
    db
      .selectFrom('apiKeyCallLog')
      .selectAll()
      .where((eb) => {
        const keys = found.map(({ keyId, writer }) => eb.tuple(keyId, writer))
        return eb(eb.refTuple('keyId', 'writer'), 'in', keys)
      })
      .orderBy('keyId')
      .orderBy('writer'),
  ).execute()

async function shorten(db: Db, { keyId, writer, ...row }: ApiKeyCallLogTable, since: number): Promise<void> {
  const left = (lines: string) => callsIn(lines).filter(({ call }) => call.at > since)
  const [accepted, refused] = [left(row.accepted), left(row.refused)]
  const all = [...accepted, ...refused]
  if (all.length === 0) {
    await db.deleteFrom('apiKeyCallLog').where('keyId', '=', keyId).where('writer', '=', writer).execute()
    return
  }
  const text = (calls: typeof all) => calls.map(({ line }) => line).join('')
  const oldest = Math.min(...all.map(({ call }) => call.at))
  await db
    .updateTable('apiKeyCallLog')
    .set({ accepted: text(accepted), refused: text(refused), since: oldest })
    .where('keyId', '=', keyId)
    .where('writer', '=', writer)
    .execute()
}
