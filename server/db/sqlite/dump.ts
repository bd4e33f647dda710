import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/app-error.ts'
import { SECOND } from '../../lib/clock.ts'
import { type CopiedValue, copyLine } from '../copy-text.ts'
import type { Dump, TableShape } from '../dump.ts'
import { MIGRATIONS, newerDatabase } from '../migrate.ts'
import { cannotOpen, damaged, FILE } from './database.ts'
import { isDamaged } from './errors.ts'
import { requireSafeSqlite } from './library.ts'
import { OpenFiles } from './open-files.ts'
import { shapesOf } from './shapes.ts'

const BUSY_TIMEOUT_MS = 5 * SECOND
const BLOCK_CHARACTERS = 128 * 1024

/** What `portal.db` has now. Its process agrees with a running portal on the files; its one read transaction never waits, and nobody waits for it. */
export function openSqliteDump(dataDir: string): Dump {
  const path = join(dataDir, FILE)
  requireSafeSqlite()
  if (!existsSync(path)) throw new OperatorError(`There is no database in ${dataDir}: check DATA_DIR.`)
  const files = new OpenFiles(path)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    database.exec('pragma journal_mode = wal') // as it is already, unless somebody has put another file there
    const reading = database
    const dump = dumpOf(reading, path)
    files.watch()
    return {
      ...dump,
      *rowsOf(table) {
        try {
          yield* rowsOf(reading, table)
        } catch (error) {
          throw isDamaged(error) ? damaged(path, error) : error
        }
      },
      requireSame() {
        files.check()
        if (files.isReplaced)
          throw new OperatorError(`The database ${path} was replaced meanwhile, so there is no backup: try again.`)
      },
      close() {
        dump.close()
        files.close()
      },
    }
  } catch (error) {
    database?.close()
    files.close()
    throw cannotOpen(path, error)
  }
}

/** What a database has that nobody replaces. */
export function dumpOf(database: DatabaseSync, path: string): Dump {
  database.exec('pragma query_only = on; begin')
  const version = versionIn(database, path) // the first read: from here on nothing changes for this transaction
  const count = ({ name }: TableShape) =>
    Number(database.prepare(`select count(*) as "rows" from "${name}"`).get()?.['rows'])
  const tables = shapesOf(database).map((shape) => ({ ...shape, rows: count(shape) }))
  return {
    kind: 'sqlite',
    version,
    tables,
    installation: installationIn(database),
    rowsOf: (table) => rowsOf(database, table),
    requireSame: () => {},
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

/** The portal that it belongs to; empty: from before there were ledgers, or not yet used. */
export function installationIn(database: DatabaseSync): string {
  const has = database.prepare(`select 1 from sqlite_schema where "name" = 'revocationState'`).get() !== undefined
  if (!has) return ''
  return String(database.prepare('select "installation" from "revocationState"').get()?.['installation'] ?? '')
}

function versionIn(database: DatabaseSync, path: string): number {
  const has = database.prepare(`select 1 from sqlite_schema where "name" = 'migration'`).get() !== undefined
  const version = has
    ? Number(database.prepare('select max("version") as "version" from "migration"').get()?.['version'])
    : 0
  if (version === 0) throw new OperatorError(`The database ${path} is empty: there is nothing to back up.`)
  if (version > MIGRATIONS.length) throw newerDatabase(version)
  return version
}

/** By rowid: as they were inserted, whichever index has all columns too. */
function* rowsOf(database: DatabaseSync, { name, columns }: TableShape): Generator<Buffer> {
  const list = columns.map((column) => `"${column.name}"`).join(', ')
  const statement = database.prepare(`select ${list} from "${name}" order by rowid`)
  statement.setReturnArrays(true)
  let block = ''
  for (const row of statement.iterate()) {
    block += copyLine(row as unknown as CopiedValue[]) // by setReturnArrays, in the types of our tables
    if (block.length < BLOCK_CHARACTERS) continue
    yield Buffer.from(block)
    block = ''
  }
  if (block !== '') yield Buffer.from(block)
}
