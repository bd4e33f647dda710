import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from '../db/migrate.ts'
import { requireSafeSqlite } from '../db/sqlite/library.ts'
import { type Clock, SECOND } from '../lib/clock.ts'
import { messageOf } from '../lib/error-text.ts'
import { firstRow, type ReadOnlyDatabase, rowsOf } from './read-only-database.ts'
import { type Found, failure, type Installation, success, warning } from './result.ts'

/** Whether this program and the database have the same version. */
export async function migrations({ database }: Installation): Promise<Found> {
  if (!database) return []
  const [row] = await rowsOf(database, 'migration', 'select max("version") as "version" from "migration"')
  if (!row) return success('The database is empty: the first start creates the tables.')
  const has = Number(row['version'])
  if (has > MIGRATIONS.length)
    return failure(
      `The database is newer than this program (version ${has}, this one knows ${MIGRATIONS.length}).`,
      'Use the newer program, or restore a backup made before the upgrade.',
    )
  if (has < MIGRATIONS.length)
    return warning(
      `${MIGRATIONS.length - has} migrations are to be done (version ${has} of ${MIGRATIONS.length}).`,
      'Take a backup. The next start of this version migrates.',
    )
  return success(`The database has version ${has}, as this program.`)
}

const MIB = 1024 * 1024
const SLOW_FROM_BYTES = 64 * MIB
const MUCH_FREE_BYTES = 1024 * MIB
export const INTEGRITY_LIMIT_MS = 120 * SECOND
const REPAIR = 'Stop the portal, move portal.db away, with portal.db-wal and portal.db-shm, and restore a backup.'

/** Whether this SQLite is free of the bug that loses committed writes (decision 14). */
export function sqliteVersion({ config, options }: Installation): Found {
  if (config.postgres) return []
  try {
    requireSafeSqlite(options.sqliteVersions)
    return success(`SQLite ${process.versions['sqlite']}.`)
  } catch (error) {
    const [what = '', action = ''] = messageOf(error).split(': ')
    return failure(`${what}.`, action)
  }
}

/** Whether the database can be opened, and is not damaged. Table by table, so that no read lasts long. */
export async function sqliteIntegrity(installation: Installation): Promise<Found> {
  const { config, database, databaseError } = installation
  if (config.postgres) return []
  const path = join(config.dataDir, 'portal.db')
  if (databaseError) return failure(`The database ${path} cannot be read: ${databaseError.message}.`, REPAIR)
  if (!database)
    return warning(
      `There is no database in ${config.dataDir} yet.`,
      'The first start creates it. If a portal has been used on this machine, correct DATA_DIR.',
    )
  if (existsSync(`${path}-wal`) !== existsSync(`${path}-shm`))
    return warning(
      `Beside ${path} is a write-ahead log without its index, or the reverse.`,
      'If it is not of this database, such as after a restore, remove both. Otherwise start the portal.',
    )
  const { size } = statSync(path)
  const onTable = (name: unknown) => {
    if (size > SLOW_FROM_BYTES) installation.onProgress(`checking the table ${name}`)
  }
  return damagesIn(database, { path, onTable, now: installation.options.now })
}

interface Examined {
  path: string
  onTable(name: unknown): void
  now: Clock
}

async function damagesIn(database: ReadOnlyDatabase, { path, onTable, now }: Examined): Promise<Found> {
  const until = now() + INTEGRITY_LIMIT_MS * 0.9 // a statement cannot be interrupted
  try {
    const tables = await database.query(`select "name" from sqlite_schema where "type" = 'table' order by "name"`)
    for (const [index, { name }] of tables.entries()) {
      if (now() > until)
        return warning(
          `Only ${index} of ${tables.length} tables could be checked in time.`,
          'Check a copy of the database: sqlite3 COPY "pragma quick_check".',
        )
      onTable(name)
      const [row] = await database.query(`pragma quick_check("${name}")`)
      if (row?.['quick_check'] !== 'ok')
        return failure(
          `The database ${path} is damaged: ${String(row?.['quick_check']).replaceAll('\n', ' ')}.`,
          REPAIR,
        )
    }
    return [success(`${tables.length} tables are sound.`), await freePages(database)]
  } catch (error) {
    return failure(`The database ${path} is damaged: ${messageOf(error)}.`, REPAIR)
  }
}

/** After a large deletion most of the file may be free: it is used for new rows, and does not shrink by itself. */
async function freePages(database: ReadOnlyDatabase): Promise<Found> {
  const number = async (name: string) => Number(Object.values(await firstRow(database, `pragma ${name}`))[0])
  const [free, all, size] = [await number('freelist_count'), await number('page_count'), await number('page_size')]
  if (free * size < MUCH_FREE_BYTES || free < all / 2) return []
  return warning(
    `${Math.round((100 * free) / all)} % of the database file are free, ${Math.round((free * size) / MIB)} MiB.`,
    'To return them to the disk, stop the portal and run: sqlite3 portal.db VACUUM',
  )
}
