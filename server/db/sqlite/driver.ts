import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import { type Run, runDirectly } from '../prepared.ts'
import { tookTooLong } from '../transaction-time.ts'
import { asAppError, isBusy } from './errors.ts'
import type { OpenFiles } from './open-files.ts'
import { SqliteQueryCompiler } from './query-compiler.ts'

/** Only what is locked has to be waited for. */
type MaybePromise<Value> = Value | Promise<Value>

const MAX_STATEMENTS = 500
const RETRY_EVERY_MS = 5

interface Access {
  /**
   * For the write connection: its users run one transaction at a time. Otherwise statements run in the order in which
   * they arrive.
   */
  exclusive: boolean
  /** Until when a statement retries on a locked file before the answer is 503. */
  retryUntil(): number
  /** Until when the transaction that runs may go on. */
  endsAt?(): number
  /** Given for a connection on the event loop. */
  yieldWhenDue?: () => Promise<void> | undefined
  /** Nothing is read from, or answered as written to, files that were replaced. */
  files?: Pick<OpenFiles, 'requireSame' | 'requireSameNow'>
}

/**
 * Kysely on one `node:sqlite` connection. When the file is locked, a statement is retried later and does not block the
 * event loop.
 */
export function sqliteDialect(database: DatabaseSync, access: Access): Dialect {
  const connection = new SqliteConnection(database, access)
  const adapter = new SqliteAdapter()
  if (!access.exclusive) runDirectly(adapter, (sql, options) => connection.statement(sql, options))
  return {
    createDriver: () => new SqliteDriver(database, connection, access),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

class SqliteDriver implements Driver {
  readonly #database: DatabaseSync
  readonly #connection: SqliteConnection
  readonly #access: Access

  constructor(database: DatabaseSync, connection: SqliteConnection, access: Access) {
    this.#database = database
    this.#connection = connection
    this.#access = access
  }

  async init() {}

  async acquireConnection() {
    return this.#connection
  }

  async releaseConnection() {}

  async beginTransaction() {
    await this.#connection.run('begin immediate')
  }

  async commitTransaction() {
    await this.#connection.run('commit')
    this.#access.files?.requireSameNow()
  }

  async rollbackTransaction() {
    if (this.#database.isTransaction) this.#database.exec('rollback') // a full disk has rolled back already
  }

  async destroy() {} // closed by the code that opened it
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #access: Access
  readonly #statements = new LRUCache<string, Prepared>({ max: MAX_STATEMENTS })

  constructor(database: DatabaseSync, access: Access) {
    this.#database = database
    this.#access = access
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const others = this.#access.yieldWhenDue?.()
    if (others !== undefined) await others
    if (this.#access.endsAt && performance.now() > this.#access.endsAt()) throw tookTooLong()
    return this.run<Row>(sql, parameters)
  }

  run<Row>(sql: string, parameters: readonly unknown[] = []): MaybePromise<QueryResult<Row>> {
    return this.#retrying(() => this.#runNow<Row>(this.#prepare(sql), parameters))
  }

  /** For a statement of every request: it is not looked up by its text each time. */
  statement(sql: string, { isOneRow = false }: { isOneRow?: boolean }): Run {
    const prepared = this.#prepare(sql)
    return (values) =>
      this.#retrying(() => (isOneRow ? this.#readOne(prepared, values) : this.#runNow(prepared, values)))
  }

  /** Only a statement that has not begun to write can find the file locked, so retrying is safe. */
  #retrying<Result>(attempt: () => Result): MaybePromise<Result> {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw asAppError(error)
      return this.#retryLater(attempt, this.#access.retryUntil())
    }
  }

  async #retryLater<Result>(attempt: () => Result, until: number): Promise<Result> {
    for (;;) {
      await pause(RETRY_EVERY_MS)
      try {
        return attempt()
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw asAppError(error)
      }
    }
  }

  // biome-ignore lint/correctness/useYield: rows are never streamed, since an open cursor would keep an old snapshot alive
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('SQLite results are not streamed.')
  }

  #runNow<Row>({ statement, toRow }: Prepared, parameters: readonly unknown[]): QueryResult<Row> {
    this.#access.files?.requireSame()
    const values = parameters as SQLInputValue[] // node:sqlite checks each of them
    if (toRow) return { rows: statement.all(...values).map(toRow) as Row[] } // Kysely knows the type of the rows
    const { changes } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  #readOne({ statement, toRow }: Prepared, parameters: readonly unknown[]): QueryResult<unknown> {
    this.#access.files?.requireSame()
    const row = statement.get(...(parameters as SQLInputValue[])) // as above
    return { rows: row && toRow ? [toRow(row)] : [] }
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    this.#access.files?.requireSame()
    const statement = this.#database.prepare(sql)
    const columns = statement.columns().map(({ name }) => name)
    statement.setReturnArrays(columns.length > 0)
    const entry = { statement, toRow: columns.length > 0 ? rowMaker(columns) : undefined }
    this.#statements.set(sql, entry)
    return entry
  }
}

type RowMaker = (values: unknown) => object

interface Prepared {
  statement: StatementSync
  toRow: RowMaker | undefined
}

/**
 * Creates rows from an object literal with fixed properties. The objects of node:sqlite are dictionaries, which are
 * slow to create and to read: with literals a page takes two thirds of the time.
 */
export function rowMaker(columns: string[]): RowMaker {
  const members = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`)
  return new Function('values', `return { ${members.join(', ')} }`) as RowMaker // of names that the portal's own queries give
}
