import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/app-error.ts'
import { SECOND } from '../../lib/clock.ts'
import { diskFull } from '../../lib/disk-full.ts'
import { makePrivateFile } from '../../lib/private-files.ts'
import { PRESENT, type Present, type RestoreTarget } from '../dump.ts'
import { FILE, reason, requireWritable } from './database.ts'
import { installationIn } from './dump.ts'
import { isDamaged, isDiskFull } from './errors.ts'
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
    if (!lock.holdAlone()) throw inUse(dataDir)
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
    if (error instanceof OperatorError) throw error
    if (isDamaged(error)) throw notReplaced(path, 'is damaged or is not a database', error)
    throw new OperatorError(
      `The database ${path} cannot be opened (${reason(error)}): check the file and its owner.`,
      error,
    )
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
  const count = (table: string) => Number(database.prepare(`select count(*) as "rows" from "${table}"`).get()?.['rows'])
  const tables = database.prepare(`select "name" from sqlite_schema where "type" = 'table'`).all()
  if (tables.length === 0) return undefined
  if (!tables.some(({ name }) => name === 'migration'))
    throw notReplaced(database.location() ?? '', 'is that of another program')
  const { organizations, people, keys, devices } = PRESENT
  const present = {
    organizations: count(organizations),
    people: count(people),
    keys: count(keys),
    devices: count(devices),
  }
  return present.organizations + present.people > 0 ? present : undefined
}

/** The file itself, not a link to it. */
async function replace<Result>(given: string, work: Parameters<typeof fillSqlite<Result>>[1]): Promise<Result> {
  const path = existsSync(given) ? realpathSync(given) : given
  const scratch = `${path}.restoring`
  try {
    removeScratch(scratch) // of one that was killed
    makePrivateFile(scratch)
    const result = await fillSqlite(scratch, work)
    giveToOwner(scratch, existsSync(path) ? path : dirname(path))
    sync(scratch)
    if (!existsSync(path)) for (const each of BESIDE) rmSync(path + each, { force: true }) // of one that is gone
    renameSync(scratch, path)
    sync(dirname(path))
    return result
  } catch (error) {
    removeScratch(scratch)
    throw isDiskFull(error) ? diskFull(scratch, error) : error
  }
}

function removeScratch(path: string): void {
  for (const each of ['', '-journal']) rmSync(path + each, { force: true })
}

/** As SQLite does with the files beside a database: what root creates belongs to the owner. */
function giveToOwner(path: string, like: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(like)
  chownSync(path, uid, gid)
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const inUse = (dataDir: string) =>
  new OperatorError(`A portal or a command is running on the database in ${dataDir}: stop it, then try again.`)
