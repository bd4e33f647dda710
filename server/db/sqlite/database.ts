import { accessSync, constants, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { OperatorError } from '../../lib/app-error.ts'
import { SECOND, systemClock } from '../../lib/clock.ts'
import { ConcurrencyLimit } from '../../lib/concurrency-limit.ts'
import { systemReasonOf } from '../../lib/error-text.ts'
import { createYielder } from '../../lib/event-loop.ts'
import { makePrivateFile, makePrivateFolder, tightenFiles } from '../../lib/private-files.ts'
import { connectionWaits, NO_ORGANIZATION } from '../connection-waits.ts'
import type { ColumnTypes, Database, LookupCounts, OpenOptions } from '../database.ts'
import { HEAVY_READS } from '../heavy-reads.ts'
import { KnownPoint } from '../known-point.ts'
import { maxTransactionMs } from '../transaction-time.ts'
import { DiskRoom, type RoomOptions } from './disk-room.ts'
import { SqliteConnection, sqliteReads } from './driver.ts'
import { isDamaged } from './errors.ts'
import { createReaders } from './heavy-reads.ts'
import { requireSafeSqlite } from './library.ts'
import { OpenFiles } from './open-files.ts'

export const FILE = 'portal.db'
/** The portal's own files in its folder, and those of its ledger. */
export const PORTAL_FILES =
  /^(portal(-before-\d+)?|revoked(-\w+)?)\.(db(-wal|-shm|-journal|\.reserve|\.lock|\.partial|\.restoring)?|lock|secret(\.[0-9a-f]+|\.restored)?)$/
export const COLUMN_TYPES: ColumnTypes = {
  dialect: 'sqlite',
  text: 'text',
  integer: 'integer',
  bytes: 'blob',
  tableOptions: 'strict',
}
const OPEN_TIMEOUT_MS = 5 * SECOND
export const WRITE_PATIENCE_MS = 5 * SECOND
const READ_PATIENCE_MS = 1 * SECOND
const MIB = 1024 * 1024
/** Takes a tenth of a second. */
const CHECKED_UP_TO_BYTES = 32 * MIB
/** After a process that was killed, or a power failure, it may take longer. */
const LEFT_OPEN_CHECKED_UP_TO_BYTES = 1024 * MIB
const ALL_PAGES = 2 ** 31 - 1 // at once, so that another process that writes does not make it begin again

interface SqliteOptions
  extends Pick<OpenOptions, 'now' | 'heavyReads' | 'onLost' | 'checkFilesEveryMs' | 'transactionMs'> {
  /** How long a write waits in the queue before it is refused. */
  writePatienceMs?: number
  room?: Partial<RoomOptions>
}

/** Opens `portal.db` in the folder: one connection that writes, and one that reads and never waits for writers. */
export function openSqlite(
  dataDir: string,
  {
    now = systemClock,
    writePatienceMs = WRITE_PATIENCE_MS,
    transactionMs,
    heavyReads,
    room: roomOptions,
    ...options
  }: SqliteOptions = {},
): Database {
  const path = join(dataDir, FILE)
  requireSafeSqlite()
  requireWritable(dataDir)
  const room = new DiskRoom(path, roomOptions)
  const { files, writer, reader } = room.open(() => openConnections(path, options))
  const yieldWhenDue = createYielder()
  const read = sqliteReads(
    new SqliteConnection(reader, { retryUntil: () => performance.now() + READ_PATIENCE_MS, yieldWhenDue, files }),
  )
  const oneWrite = new ConcurrencyLimit({ atOnce: 1, atOnceOfGroup: 1, ...connectionWaits(writePatienceMs) })
  let deadline = 0 // until when the running transaction waits, in the queue and for the file together
  const write = new SqliteConnection(writer, { retryUntil: () => deadline, yieldWhenDue, files })
  const readers = createReaders(path, { ...HEAVY_READS, ...heavyReads }, files)
  const lookups: LookupCounts = { asked: 0, queries: 0 }
  const point = new KnownPoint()
  return {
    point,
    read,
    readFor: () => read,
    heavyRead: (requester) => readers.for(requester),
    location: dataDir,
    wasLeftOpen: files.wasLeftOpen,
    now,
    lookups,
    async lookUp(lookup, values) {
      lookups.asked++
      lookups.queries++
      const latest = point.latest()
      const [answer] = await lookup.ask(read, values)
      if (!answer) throw new Error('The lookup was not answered.')
      point.require({ incarnation: answer['@incarnation'], sequence: answer['@sequence'] }, latest)
      return {
        row: answer['@known'] === null ? undefined : answer,
        now: now(),
        isHeld: answer['@heldSince'] !== null,
      }
    },
    columnTypes: COLUMN_TYPES,
    transaction(work, options = {}) {
      const { moreFollows = false, organizationId = NO_ORGANIZATION, usesReserve } = options
      const until = performance.now() + writePatienceMs
      return oneWrite.run(organizationId, () => {
        deadline = until
        const endsAt = performance.now() + maxTransactionMs(options, transactionMs) // without waiting in the queue
        const run = () => write.transaction(work, endsAt)
        return room.run(moreFollows ? () => withoutWaiting(writer, run) : run, usesReserve)
      })
    },
    settleRevocations: async () => false, // openWithLedger adds it
    logsDurably: false,
    copyTo: (target) =>
      oneWrite.run(NO_ORGANIZATION, async () => void (await backup(reader, target, { rate: ALL_PAGES }))),
    ping: async () => {
      files.requireSameNow()
      await sql`select 1 from "migration"`.execute(read)
      room.requireRoom()
    },
    close: async () => {
      room.close()
      await readers.close()
      if (files.isReplaced) return // closing would merge the write-ahead log into a file that may be another's
      reader.close()
      writer.close() // last, so that it merges the write-ahead log into the file
      files.close()
    },
  }
}

/** In the write-ahead log, and not yet synced to disk: the next transaction that syncs includes it. */
async function withoutWaiting<Result>(writer: DatabaseSync, run: () => Promise<Result>): Promise<Result> {
  writer.exec('pragma synchronous = normal')
  try {
    return await run()
  } finally {
    writer.exec('pragma synchronous = full') // whatever became of the transaction
  }
}

function openConnections(path: string, options: SqliteOptions) {
  const files = new OpenFiles(path, options)
  let writer: DatabaseSync | undefined
  try {
    makePrivateFile(path) // SQLite gives the files beside it the same mode
    tightenFiles(dirname(path), PORTAL_FILES)
    const checkedUpTo = files.wasLeftOpen ? LEFT_OPEN_CHECKED_UP_TO_BYTES : CHECKED_UP_TO_BYTES
    if (statSync(path).size <= checkedUpTo) requireSound(path)
    writer = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS })
    writer.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
    writer.exec('pragma temp_store = memory') // a revoke of many keys needs no room elsewhere
    writer.exec('select 1 from sqlite_schema') // creates the write-ahead log and its index, unless they are there
    writer.exec('pragma busy_timeout = 0') // from here on the driver retries, without blocking the event loop
    const reader = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    reader.exec('pragma query_only = on')
    files.watch()
    return { files, writer, reader }
  } catch (error) {
    writer?.close()
    files.close()
    throw cannotOpen(path, error)
  }
}

/** Before it is opened for writing: closing such a connection would merge the write-ahead log into a damaged file. */
function requireSound(path: string): void {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: OPEN_TIMEOUT_MS })
  try {
    const row = connection.prepare('pragma quick_check(1)').get()
    if (row?.['quick_check'] !== 'ok') throw damaged(path, row)
  } finally {
    connection.close()
  }
}

export function requireWritable(dataDir: string): void {
  try {
    makePrivateFolder(dataDir)
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    throw new OperatorError(
      `The folder ${dataDir} cannot be written to (${systemReasonOf(error)}): set DATA_DIR to one that can, or change its owner.`,
      error,
    )
  }
}

/** Why the database cannot be opened, in one sentence for the operator. */
export function cannotOpen(path: string, error: unknown, ifDamaged = damaged): OperatorError {
  if (error instanceof OperatorError) return error
  if (isDamaged(error)) return ifDamaged(path, error)
  return new OperatorError(
    `The database ${path} cannot be opened (${systemReasonOf(error)}): check the file and its owner.`,
    error,
  )
}

export const damaged = (path: string, cause: unknown) =>
  new OperatorError(
    `The database ${path} is damaged or is not a database: restore it from a backup, without the portal.db-wal and portal.db-shm that are beside it now, or move all of them away to start with an empty one.`,
    cause,
  )
