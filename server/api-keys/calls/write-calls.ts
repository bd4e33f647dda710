import { sql } from 'kysely'
import type { ApiKeyCallLogTable } from '../../db/api-key-tables.ts'
import { BACKGROUND_WORK } from '../../db/connection-waits.ts'
import type { Database } from '../../db/database.ts'
import { jsonRows } from '../../db/json-rows.ts'
import type { Db } from '../../db/tables.ts'
import { MAX_CALLS, MAX_LINE_LENGTH } from './call-lines.ts'
import type { CallLogEntry } from './call-log.ts'

/** As many characters as the calls to store may take. */
const MAX_CHARACTERS = MAX_CALLS * MAX_LINE_LENGTH

/** Characters of a key that is gone: keys that are generated, used and revoked in a loop store little more. */
const MAX_CHARACTERS_OF_GONE = 10 * MAX_LINE_LENGTH

/** Adds calls to the rows of a process; also for keys revoked in the meantime, since their last calls are of interest. */
export async function writeCalls(database: Database, entries: readonly CallLogEntry[]): Promise<void> {
  const ids = entries.map(({ keyId }) => keyId)
  await database.transaction(
    async (db) => {
      const found = await db.selectFrom('apiKey').select('id').where('id', 'in', ids).execute()
      const existing = new Set(found.map(({ id }) => id))
      const rows = entries.map((entry) => ({ ...entry, updatedAt: database.now() }))
      await callsUpsert(db, rows).execute()
      const gone = ids.filter((id) => !existing.has(id))
      if (gone.length > 0) await shortenedLogs(db, gone).execute()
    },
    { organizationId: BACKGROUND_WORK },
  )
}

/** Leaves the last calls of keys that are gone; a line that is cut is not read. */
export const shortenedLogs = (db: Db, keyIds: readonly string[]) =>
  db
    .updateTable('apiKeyCallLog')
    .set({ accepted: firstOf('accepted'), refused: firstOf('refused') })
    .where('keyId', 'in', keyIds)

const firstOf = (column: 'accepted' | 'refused') =>
  sql<string>`substr(${sql.ref(column)}, 1, ${sql.lit(MAX_CHARACTERS_OF_GONE)})`

function callsUpsert(db: Db, rows: ApiKeyCallLogTable[]) {
  const columns = {
    keyId: 'text',
    writer: 'text',
    accepted: 'text',
    refused: 'text',
    since: 'integer',
    updatedAt: 'integer',
  } as const
  const names = ['keyId', 'writer', 'accepted', 'refused', 'since', 'updatedAt'] as const
  return db
    .insertInto('apiKeyCallLog')
    .columns(names)
    .expression(
      db
        .selectFrom(jsonRows<ApiKeyCallLogTable, 'added'>(db, columns, rows, 'added'))
        .select(names)
        .where('keyId', 'is not', null), // without a condition here, SQLite takes `on` for part of a join
    )
    .onConflict((conflict) =>
      conflict.columns(['keyId', 'writer']).doUpdateSet({
        accepted: together('accepted'),
        refused: together('refused'),
        updatedAt: sql`"excluded"."updatedAt"`,
      }),
    )
}

/** New lines before those that are there, which are not needed when there are enough new ones. */
function together(column: 'accepted' | 'refused') {
  const added = sql.ref(`excluded.${column}`)
  const stored = sql.ref(`apiKeyCallLog.${column}`)
  const addedLines = sql`length(${added}) - length(replace(${added}, ${'\n'}, ''))`
  return sql<string>`case when ${addedLines} >= ${sql.lit(MAX_CALLS)} then ${added}
    else substr(${added} || ${stored}, 1, ${sql.lit(MAX_CHARACTERS)}) end`
}
