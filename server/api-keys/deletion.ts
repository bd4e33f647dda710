import { setTimeout as pause } from 'node:timers/promises'
import type { Compilable } from 'kysely'
import { BACKGROUND_WORK } from '../db/connection-waits.ts'
import type { Database } from '../db/database.ts'
import { deferToCommit, tryAdvisoryLock } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import { partsOf } from '../lib/parts.ts'
import { shortenedLogs } from './calls/write.ts'
import { type Removal, removedKeysInsert } from './revoked/removal.ts'

/** Of keys, they are deleted in a millisecond or two. */
const KEYS_AT_ONCE = 100
/** Of what keys have left behind in one table, they are deleted in a few milliseconds. */
export const ROWS_AT_ONCE = 500
/** Between two transactions: others go first. */
const REST_MS = 10

/**
 * Deletes keys, and with them their invitations, and records the removal. Other rows of theirs give no access and may be
 * many: only the ids are written down, and a background job deletes the rows.
 */
export async function deleteKeys(db: Db, ids: readonly string[], removal: Removal): Promise<void> {
  for (const query of keyDeletion(db, ids, removal)) await db.executeQuery(query.compile())
}

/** The same together with the commit, for a transaction that does not read these keys again. */
export async function deleteKeysAtCommit(db: Db, ids: readonly string[], removal: Removal): Promise<void> {
  for (const query of keyDeletion(db, ids, removal)) await deferToCommit(db, query)
}

function* keyDeletion(db: Db, ids: readonly string[], removal: Removal): Generator<Compilable> {
  for (const part of partsOf(ids, KEYS_AT_ONCE)) {
    const rows = part.map((id) => ({ id }))
    yield db
      .insertInto('deletedApiKey')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
    yield removedKeysInsert(db, part, removal)
    yield db.deleteFrom('apiKey').where('id', 'in', part)
  }
}

/**
 * Deletes lineage, usage and notifications of keys that are gone, and shortens the logs of their calls, in short transactions. Which keys those are is
 * forgotten in the transaction that finds no more rows, so it goes on where it was killed.
 */
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
  for (const deletion of deletionsOf(db, ids)) {
    const [{ numDeletedRows } = { numDeletedRows: 0n }] = await deletion.execute()
    if (numDeletedRows === BigInt(ROWS_AT_ONCE)) wereAll = false
  }
  return wereAll
}

const deletionsOf = (db: Db, ids: readonly string[]) => [
  db.deleteFrom('idempotencyRecord').where((eb) => {
    const some = eb.selectFrom('idempotencyRecord').select('id')
    return eb('id', 'in', some.where('callerId', 'in', ids).limit(ROWS_AT_ONCE))
  }),
  db.deleteFrom('apiKeyLineage').where((eb) => {
    const some = eb.selectFrom('apiKeyLineage').select(['ancestorId', 'keyId'])
    return eb(
      eb.refTuple('ancestorId', 'keyId'),
      'in',
      some.where('keyId', 'in', ids).limit(ROWS_AT_ONCE).$asTuple('ancestorId', 'keyId'),
    )
  }),
  db.deleteFrom('apiKeyUsage').where((eb) => {
    const some = eb.selectFrom('apiKeyUsage').select(['keyId', 'hour', 'writer'])
    return eb(
      eb.refTuple('keyId', 'hour', 'writer'),
      'in',
      some.where('keyId', 'in', ids).limit(ROWS_AT_ONCE).$asTuple('keyId', 'hour', 'writer'),
    )
  }),
  db.deleteFrom('apiKeyUsageDay').where((eb) => {
    const some = eb.selectFrom('apiKeyUsageDay').select(['keyId', 'day'])
    return eb(
      eb.refTuple('keyId', 'day'),
      'in',
      some.where('keyId', 'in', ids).limit(ROWS_AT_ONCE).$asTuple('keyId', 'day'),
    )
  }),
  db.deleteFrom('apiKeyExpiryNotification').where((eb) => {
    const some = eb.selectFrom('apiKeyExpiryNotification').select(['keyId', 'expiresAt', 'days'])
    return eb(
      eb.refTuple('keyId', 'expiresAt', 'days'),
      'in',
      some.where('keyId', 'in', ids).limit(ROWS_AT_ONCE).$asTuple('keyId', 'expiresAt', 'days'),
    )
  }),
]
