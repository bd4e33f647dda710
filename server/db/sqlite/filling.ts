import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely } from 'kysely'
import { type ColumnType, valuesIn } from '../copy-text.ts'
import type { Filling, TableShape } from '../dump.ts'
import type { Tables } from '../tables.ts'
import { COLUMN_TYPES } from './database.ts'
import { sqliteDialect } from './dialect.ts'
import { SqliteConnection } from './driver.ts'
import { shapesOf } from './shapes.ts'

const CACHE_KIB = 64 * 1024

/** Fills a new file, with nothing in place against a crash: whoever calls this uses the file only once it is complete, and synced. */
export async function fillSqlite<Result>(path: string, work: (filling: Filling) => Promise<Result>): Promise<Result> {
  const database = new DatabaseSync(path)
  const db = new Kysely<Tables>({
    dialect: sqliteDialect(new SqliteConnection(database, { retryUntil: () => 0 }).executeQuery),
  })
  try {
    database.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -${CACHE_KIB}`)
    database.exec('pragma foreign_keys = off; begin')
    const result = await work(new SqliteFilling(database, db))
    database.exec('commit')
    return result
  } finally {
    database.close()
  }
}

class SqliteFilling implements Filling {
  readonly columnTypes = COLUMN_TYPES
  readonly db: Kysely<Tables>
  readonly #database: DatabaseSync
  #indexes: string[] = []

  constructor(database: DatabaseSync, db: Kysely<Tables>) {
    this.#database = database
    this.db = db
  }

  async tables(): Promise<TableShape[]> {
    return shapesOf(this.#database)
  }

  async prepare(): Promise<void> {
    for (const { name } of await this.tables()) this.#database.exec(`delete from "${name}"`)
    const indexes = this.#database
      .prepare(`select "name", "sql" from sqlite_schema where "type" = 'index' and "sql" is not null`)
      .all()
    for (const { name, sql } of indexes) {
      this.#indexes.push(String(sql))
      this.#database.exec(`drop index "${name}"`)
    }
  }

  async fill({ name, columns }: TableShape, blocks: AsyncIterable<Buffer>): Promise<void> {
    const list = columns.map((column) => `"${column.name}"`).join(', ')
    const insert = this.#database.prepare(
      `insert into "${name}" (${list}) values (${columns.map(() => '?').join(', ')})`,
    )
    const types = columns.map(({ type }): ColumnType => type)
    for await (const block of blocks) {
      const lines = block.toString().split('\n')
      lines.pop() // after the last line break
      for (const line of lines) insert.run(...(valuesIn(line, types) as SQLInputValue[])) // text, numbers, bytes, null
    }
  }

  async complete(): Promise<void> {
    for (const index of this.#indexes) this.#database.exec(index)
    const [broken] = this.#database.prepare('pragma foreign_key_check').all()
    if (broken)
      throw new Error(`A row of "${broken['table']}" refers to a row of "${broken['parent']}" that is missing.`)
  }
}
