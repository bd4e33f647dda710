import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Actor } from '../caller/ctx.ts'
import type { RevocationCause } from '../db/api-key-tables.ts'
import { BACKGROUND_WORK } from '../db/connection-waits.ts'
import type { Database } from '../db/database.ts'
import { tryAdvisoryLock } from '../db/locks.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { partsOf } from '../lib/parts.ts'
import { shortenedLogs } from './calls/write-calls.ts'

/** So many keys are deleted in a millisecond or two. */
const KEYS_AT_ONCE = 100
/** So many rows that keys have left behind in one table are deleted in a few milliseconds. */
export const ROWS_AT_ONCE = 500
/** Between two transactions: others go first. */
const REST_MS = 10

export interface Removal {
  at: number
  by: Actor
  cause: RevocationCause
  /** In the words of whoever revokes. */
  reason?: string | null | undefined
}

/**
 * Deletes keys, and with them their invitations, and records the removal: together with the commit, so the transaction
 * does not read them again. Other rows of theirs give no access and may be many: only the ids are written down, and a
 * background job deletes the rows.
 */
export async function deleteKeys(db: Transaction, ids: readonly string[], removal: Removal): Promise<void> {
  for (const part of partsOf(ids, KEYS_AT_ONCE)) {
    const rows = part.map((id) => ({ id }))
    await db.defer(
      db
        .insertInto('deletedApiKey')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing()),
    )
    await db.defer(removedKeysInsert(db, part, removal))
    await db.defer(db.deleteFrom('apiKey').where('id', 'in', part))
  }
}

/** Records what may be shown of keys that are deleted afterwards; one that a restored database has brought back is on record already. */
const removedKeysInsert = (db: Db, ids: readonly string[], { at, by, cause, reason }: Removal) =>
  db
    .insertInto('revokedApiKey')
    .columns([...COPIED, 'revokedAt', 'revokedByKind', 'revokedById', 'revokedByName', 'cause', 'reason'])
    .expression(
      db
        .selectFrom('apiKey')
        .select(COPIED)
        .select([
          given(at, 'bigint').as('revokedAt'),
          given(by.kind, 'text').as('revokedByKind'),
          given(by.id, 'text').as('revokedById'),
          given(by.name, 'text').as('revokedByName'),
          causeOf(cause).as('cause'),
          given(reason ?? null, 'text').as('reason'),
        ])
        .where('id', 'in', ids),
    )
    .onConflict((conflict) => conflict.doNothing())

const COPIED = [
  'id',
  'organizationId',
  'label',
  'prefix',
  'createdAt',
  'createdByKind',
  'createdById',
  'createdByName',
  'lastUsedAt',
] as const

/** PostgreSQL does not know the type of a parameter that is only selected. */
const given = <T>(value: T, type: 'text' | 'bigint') => sql<T>`cast(${value} as ${sql.raw(type)})`

/** A rotation is over with the expiration of the replaced key. */
const causeOf = (cause: RevocationCause) =>
  cause === 'EXPIRED'
    ? sql<RevocationCause>`case when "replacedById" is null then 'EXPIRED' else 'ROTATED' end`
    : given(cause, 'text')

/** Deletes what keys that are gone left behind. The transaction that finds no more forgets the keys, so it goes on where it was killed. */
export async function deleteRowsOfDeletedKeys(database: Database, isClosing = () => false): Promise<void> {
  while (!isClosing()) {
    const found = await database.read.selectFrom('deletedApiKey').select('id').limit(KEYS_AT_ONCE).execute()
    if (found.length === 0) return
    const ids = found.map(({ id }) => id)
    const isOurs = await database.transaction(
      async (db) => {
        if (!(await tryAdvisoryLock(db))) return false
        await shortenedLogs(db, ids).execute()
        if (await deleteSomeRows(db, ids)) await db.deleteFrom('deletedApiKey').where('id', 'in', ids).execute()
        return true
      },
      { organizationId: BACKGROUND_WORK, moreFollows: true }, // if the machine crashes, it is done again
    )
    if (!isOurs) return
    await pause(REST_MS)
  }
}

/** Deletes some rows of each table, and returns whether these were all. */
async function deleteSomeRows(db: Db, ids: readonly string[]): Promise<boolean> {
  let wereAll = true
  for (const { table, primaryKey, keyId = 'keyId' } of LEFT_BEHIND) {
    const columns = sql.join(primaryKey.map((column) => sql.ref(column)))
    const found = sql`select ${columns} from ${sql.table(table)} where ${sql.ref(keyId)} in (${sql.join(ids)})`
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where (${columns}) in (${found} limit ${ROWS_AT_ONCE})`.execute(db)
    if (numAffectedRows === BigInt(ROWS_AT_ONCE)) wereAll = false
  }
  return wereAll
}

/** Rows of keys, by the indexes that begin with the id of the key. */
const LEFT_BEHIND: readonly { table: keyof Tables; primaryKey: readonly string[]; keyId?: string }[] = [
  { table: 'idempotencyRecord', primaryKey: ['id'], keyId: 'callerId' },
  { table: 'apiKeyLineage', primaryKey: ['ancestorId', 'keyId'] },
  { table: 'apiKeyUsage', primaryKey: ['keyId', 'hour', 'writer'] },
  { table: 'apiKeyUsageDay', primaryKey: ['keyId', 'day'] },
  { table: 'apiKeyExpiryNotification', primaryKey: ['keyId', 'expiresAt', 'days'] },
]
