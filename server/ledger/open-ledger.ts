import { statSync } from 'node:fs'
import { type Config, originOf } from '../config.ts'
import type { Database, OpenOptions } from '../db/database.ts'
import type { KnownPoint } from '../db/known-point.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { loggingRevocations } from '../db/revocations.ts'
import { copyBeforeUpgrade } from '../db/sqlite/copy-before-upgrade.ts'
import { isDamaged } from '../db/sqlite/errors.ts'
import type { UpgradeReport } from '../db/upgrade.ts'
import { OperatorError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { hasAllRowsOf } from './comparison.ts'
import { Ledger } from './ledger.ts'
import { damagedLedger, IN_MEMORY } from './ledger-file.ts'
import { ledgerPath } from './ledger-path.ts'
import { deleteReturnedKeys, returnedKeys } from './reconcile.ts'
import type { Reconciled } from './restore-notice.ts'
import { createSynchronizer } from './synchronizer.ts'
import { serverParts } from './unite.ts'

interface Options extends OpenOptions {
  log: Log
  /** A person has decided that this server is the one to use, although the ledger knows a later one. */
  acceptsOldPrimary?: boolean
  /** How often both are compared, where that is not as in production. */
  compareEveryMs?: number | undefined
  /** Whether an existing database is brought up to date, on SQLite after a copy of it; otherwise an older one is refused. */
  upgrade?: 'with copy' | 'without copy' | undefined
  onUpgrade?: ((words: string) => void) | undefined
  /** Called with what was ended again in a database that had been restored. */
  onReconciled?: ((reconciled: Reconciled) => void) | undefined
}

/** A database that is migrated and has been compared with its ledger. */
export interface OpenedDatabase {
  database: Database
  ledger: Ledger
  /** It has begun now, although the database has been used before. */
  isNewLedger: boolean
  applied: string[]
  copy: string | undefined
}

/** Opens the database and its ledger, and makes both the same before anything is read from them. */
export async function openWithLedger(config: Config, options: Options): Promise<OpenedDatabase> {
  const { log, acceptsOldPrimary, compareEveryMs: everyMs, onReconciled } = options
  const plain = await openDatabase(config, options)
  let ledger: Ledger | undefined
  try {
    const { applied, copy } = await bringUpToDate(plain, options)
    const opened = await openLedger(config, plain, log)
    ledger = opened.ledger
    const isNewLedger = await isNew(plain, ledger, log)
    const database = loggingRevocations(plain, ledger)
    const { point } = plain
    const { installation } = opened
    const identify = identityOf(config, point, ledger)
    const sides = { database: plain, ledger, identify, installation, origin: originOf(config), acceptsOldPrimary }
    if (plain.wasLeftOpen) await compareAll(plain, ledger, log)
    const synchronizer = createSynchronizer(sides, { log, everyMs, onReconciled })
    await synchronizer.run()
    await requireNoReturnedKeys(plain, log)
    point.ledger = ledger
    point.onDoubt = synchronizer.start
    synchronizer.start()
    const close = async () => {
      await synchronizer.close()
      await plain.close()
      ledger?.close()
    }
    const ping = async () => {
      await database.ping()
      ledger?.requireRoom()
    }
    return {
      database: { ...database, close, ping, settleRevocations: synchronizer.runAnew },
      ledger,
      isNewLedger,
      applied,
      copy,
    }
  } catch (error) {
    ledger?.close()
    await plain.close() // its connections would keep the process alive
    throw ledger && isDamaged(error) ? damagedLedger(ledger.path, error) : error // a damaged database is UNAVAILABLE
  }
}

/** After a process that was killed: see `OpenFiles.wasLeftOpen`. */
async function compareAll({ read }: Database, { file }: Ledger, log: Log): Promise<void> {
  log.info('the last process did not close the database: it is checked, and compared with all of the ledger')
  if (!(await hasAllRowsOf(read, file))) file.doubt()
}

/** On SQLite the folder, in which the files may be restored; on PostgreSQL the database that connections lead to. */
function identityOf({ postgres, dataDir }: Config, point: KnownPoint, ledger: Ledger): () => string {
  if (ledger.file.isInMemory) return () => ''
  if (!postgres) {
    const { dev, ino } = statSync(dataDir, { bigint: true })
    return () => `${dev}:${ino}`
  }
  return () => {
    const { system, database } = serverParts(point.server ?? '')
    return system && `${system}/${database}`
  }
}

async function bringUpToDate(database: Database, { upgrade, onUpgrade = () => {} }: Options) {
  let copy: string | undefined
  const beforeUpgrade = async (version: number) => {
    if (upgrade === 'without copy' || !database.copyTo) return
    onUpgrade('Copying the database before it is upgraded.')
    copy = await copyBeforeUpgrade(database, version)
    onUpgrade(`The database as it was is in ${copy}.`)
  }
  const report = createReport(onUpgrade)
  const { applied } = await migrate(database, { refusesOlder: upgrade === undefined, beforeUpgrade, report })
  return { applied, copy }
}

/** A line for each migration, and at most one a second. */
function createReport(say: (words: string) => void) {
  let [lastVersion, saidAt] = [0, 0]
  return ({ version, migration, rows }: UpgradeReport) => {
    if (version === lastVersion && performance.now() - saidAt < SECOND) return
    ;[lastVersion, saidAt] = [version, performance.now()]
    const how = rows > 0 ? `, ${rows.toLocaleString('en')} rows` : ''
    say(`Upgrading to version ${version} (${migration})${how}.`)
  }
}

/** Perhaps `LEDGER` is missing, or its volume: then the ledger that has the past is another one. */
async function isNew({ read }: Database, ledger: Ledger, log: Log): Promise<boolean> {
  if (ledger.file.agreed()) return false
  const { sequence } = await read.selectFrom('revocationState').select('sequence').executeTakeFirstOrThrow()
  if (sequence > 0)
    log.warn(
      { ledger: ledger.path },
      'the ledger is new, and is filled from the database: check LEDGER if there is another',
    )
  return sequence > 0
}

/** Looks without a transaction, since there is nearly never one. */
async function requireNoReturnedKeys({ read, transaction, now }: Database, log: Log): Promise<void> {
  if ((await returnedKeys(read, now())).length === 0) return
  const keys = await transaction((db) => deleteReturnedKeys(db, now()), { isLong: true, usesReserve: 'revoke' })
  log.warn({ keys }, 'revoked keys had been brought back into the database, and were deleted again')
}

/** On PostgreSQL a replica may have no disk: then the database alone remembers. */
async function openLedger(config: Config, { read, now }: Database, log: Log) {
  try {
    const { path, installation } = await ledgerPath(config, read, now())
    return { ledger: new Ledger(path, log), installation }
  } catch (error) {
    if (config.ledger !== undefined || !config.postgres || !(error instanceof OperatorError)) throw error
    log.warn({ err: error }, 'no ledger: a restored database would bring revoked keys back. Set LEDGER or DATA_DIR')
    return { ledger: new Ledger(IN_MEMORY, log), installation: undefined }
  }
}
