import { createReadStream, createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { openBackup } from '../../server/backup/read-backup.ts'
import { valuesIn } from '../../server/db/copy-text.ts'
import type { TableShape } from '../../server/db/dump.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { readPostgresAddress } from '../../server/lib/postgres-address.ts'
import { askOnce } from '../support/postgres/postgres-sql.ts'

/** Tables that others refer to come first. */
const FIRST = ['organization', 'user', 'apiKey', 'device']

interface Bare {
  rows: number
  seconds: number
}

/** Inserts the rows of a backup by prepared statements, into the tables as they are. Only the inserts are timed. */
export async function bareInsert(path: string, dataDir: string): Promise<Bare> {
  const opened = await openDatabase({ dataDir })
  await migrate(opened)
  await opened.close()
  const database = new DatabaseSync(join(dataDir, 'portal.db'))
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = off; begin')
  const backup = await openBackup(path, unasked)
  const bare: Bare = { rows: 0, seconds: 0 }
  const timed = (work: () => void) => {
    const began = performance.now()
    work()
    bare.seconds += (performance.now() - began) / 1000
  }
  for await (const { name, columns, lines } of backup.tables()) {
    database.exec(`delete from "${name}"`)
    const insert = database.prepare(
      `insert into "${name}" (${namesOf(columns)}) values (${columns.map(() => '?').join(', ')})`,
    )
    const types = columns.map(({ type }) => type)
    for await (const block of lines) {
      const values = block
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => valuesIn(line, types) as SQLInputValue[])
      timed(() => {
        for (const row of values) insert.run(...row)
      })
      bare.rows += values.length
    }
  }
  timed(() => database.exec('commit'))
  database.close()
  await backup.close()
  return bare
}

/** Copies the rows of a backup into the tables as they are, in one transaction, from files that have them as they are. */
export async function bareCopy(path: string, url: string, folder: string): Promise<Bare> {
  const address = readPostgresAddress(url)
  if (typeof address === 'string') throw new Error(address)
  const opened = await openDatabase({ dataDir: folder, postgres: address })
  await migrate(opened)
  await opened.close()
  const tables = await writeTables(path, join(folder, 'rows'))
  return askOnce(url)(async (sql) => {
    await sql.unsafe(`truncate ${tables.map(({ name }) => `"${name}"`).join(', ')}`)
    const began = performance.now()
    await sql.begin(async (transaction) => {
      for (const { name, columns, file } of tables) {
        const copied = await transaction.unsafe(`copy "${name}" (${namesOf(columns)}) from stdin`).writable()
        await pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), copied)
      }
    })
    return { rows: tables.reduce((sum, { rows }) => sum + rows, 0), seconds: (performance.now() - began) / 1000 }
  })
}

async function writeTables(path: string, folder: string) {
  mkdirSync(folder)
  const backup = await openBackup(path, unasked)
  const tables: (TableShape & { rows: number; file: string })[] = []
  for await (const { name, columns, rows, lines } of backup.tables()) {
    const file = join(folder, name)
    await pipeline(lines, createWriteStream(file))
    tables.push({ name, columns, rows, file })
  }
  await backup.close()
  return tables.sort((a, b) => placeOf(a) - placeOf(b))
}

const placeOf = ({ name }: TableShape) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)

const namesOf = (columns: TableShape['columns']) => columns.map(({ name }) => `"${name}"`).join(', ')

async function unasked(): Promise<string> {
  throw new Error('It is not encrypted.')
}
