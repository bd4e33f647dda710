import type { Filling, TableShape } from '../dump.ts'
import type { Db } from '../tables.ts'
import { type PostgresConnection, textArray } from './connection.ts'
import { COLUMN_TYPES } from './database.ts'
import { quoted, shapesOf } from './shapes.ts'

interface Dropped {
  drop: string
  create: string
}

const REFERENCES = `select format('alter table %s drop constraint %I', "conrelid"::regclass, "conname") as "drop",
  format('alter table %s add constraint %I %s', "conrelid"::regclass, "conname", pg_get_constraintdef("oid")) as "create"
  from pg_constraint where "contype" = 'f' and "conrelid" = any ($1::text[]::regclass[])`

const INDEXES = `select format('drop index %s', i."indexrelid"::regclass) as "drop", pg_get_indexdef(i."indexrelid") as "create"
  from pg_index i where i."indrelid" = any ($1::text[]::regclass[])
  and not exists (select 1 from pg_constraint c where c."conindid" = i."indexrelid" and c."contype" <> 'f')`

/** Fills the tables of a database, in a transaction that the caller has begun on this connection. */
export class PostgresFilling implements Filling {
  readonly columnTypes = COLUMN_TYPES
  readonly db: Db
  readonly #connection: PostgresConnection
  #dropped: Dropped[] = []

  constructor(connection: PostgresConnection, db: Db) {
    this.#connection = connection
    this.db = db
  }

  tables(): Promise<TableShape[]> {
    return shapesOf(this.#connection)
  }

  async prepare(): Promise<void> {
    const tables = await this.tables()
    await this.#connection.query(`truncate ${quoted(tables)}`)
    const names = textArray(tables.map(({ name }) => `"${name}"`))
    for (const query of [REFERENCES, INDEXES]) {
      const { rows } = await this.#connection.query(query, [names])
      for (const { drop } of rows) await this.#connection.query(String(drop))
      this.#dropped.unshift(...rows.map(({ drop, create }) => ({ drop: String(drop), create: String(create) })))
    }
  }

  fill({ name, columns }: TableShape, rows: AsyncIterable<Buffer>): Promise<void> {
    return this.#connection.copyIn(`copy "${name}" (${quoted(columns)}) from stdin`, rows)
  }

  async complete(): Promise<void> {
    for (const { create } of this.#dropped) await this.#connection.query(create)
    await this.#connection.query(`analyze ${quoted(await this.tables())}`)
  }
}
