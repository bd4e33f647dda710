import { existsSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/app-error.ts'
import { SECOND } from '../../lib/clock.ts'
import { diskFull } from '../../lib/disk-full.ts'
import { makeWithOwnerOf, syncToDisk } from '../../lib/private-files.ts'
import { COUNTS, type Present, presentIf, type RestoreTarget } from '../dump.ts'
import { cannotOpen, FILE, requireWritable } from './database.ts'
import { installationIn } from './dump.ts'
import { isDiskFull } from './errors.ts'
import { FileLock } from './file-lock.ts'
import { fillSqlite } from './filling.ts'
import { requireSafeSqlite } from './library.ts'
import { LOCK_FILE, OpenFiles } from './open-files.ts'

const BUSY_TIMEOUT_MS = 5 * SECOND
const BESIDE = ['-wal', '-shm', '-journal']

/**
 * `portal.db` in the folder, locked against everybody else. The new content is written to a file of its own, and takes
 * the place of the old one by one rename: until then the old one is complete by itself, with no log beside it.
 */
export function openSqliteTarget(dataDir: string): RestoreTarget {
  const path = join(dataDir, FILE)
  requireSafeSqlite()
  requireWritable(dataDir)
  new OpenFiles(path).close() // refuses the log of another database, which would be applied to this one
  const lock = new FileLock(join(dataDir, LOCK_FILE), path)
  try {
    if (!lock.acquireAlone()) throw inUse(dataDir)
    return {
      location: dataDir,
      ...(existsSync(path) ? settle(path) : NOTHING),
      replace: (work) => replace(path, work),
      close: async () => lock.release(),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Merges the write-ahead log into the file, and counts what is there. */
function settle(path: string): Pick<RestoreTarget, 'present' | 'installation'> {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    const settled = { present: presentIn(database), installation: installationIn(database) }
    database.close() // as the last one, which removes the log
    return settled
  } catch (error) {
    if (database?.isOpen) database.close()
    throw cannotOpen(path, error, (_path, cause) => notReplaced(path, 'is damaged or is not a database', cause))
  }
}

/** Nobody can be asked about it, since it is not known what it has. */
const notReplaced = (path: string, why: string, cause?: unknown) =>
  new OperatorError(
    `The database ${path} ${why}: move it away, with the files beside it whose names begin like it, and restore again.`,
    cause,
  )

const NOTHING = { present: undefined, installation: '' }

function presentIn(database: DatabaseSync): Present | undefined {
  const tables = database.prepare(`select "name" from sqlite_schema where "type" = 'table'`).all()
  if (tables.length === 0) return undefined
  if (!tables.some(({ name }) => name === 'migration'))
    throw notReplaced(database.location() ?? '', 'is that of another program')
  return presentIf(database.prepare(COUNTS).get())
}

/** The file itself, not a link to it. */
async function replace<Result>(given: string, work: Parameters<typeof fillSqlite<Result>>[1]): Promise<Result> {
  const path = existsSync(given) ? realpathSync(given) : given
  const scratch = `${path}.restoring`
  try {
    removeScratch(scratch) // a killed restore left it
    makeWithOwnerOf(path, scratch)
    const result = await fillSqlite(scratch, work)
    syncToDisk(scratch)
    if (!existsSync(path)) for (const each of BESIDE) rmSync(path + each, { force: true }) // their database is gone
    renameSync(scratch, path)
    syncToDisk(dirname(path))
    return result
  } catch (error) {
    removeScratch(scratch)
    throw isDiskFull(error) ? diskFull(scratch, error) : error
  }
}

function removeScratch(path: string): void {
  for (const each of ['', '-journal']) rmSync(path + each, { force: true })
}

const inUse = (dataDir: string) =>
  new OperatorError(`A portal or a command is running on the database in ${dataDir}: stop it, then try again.`)
