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
import { AppError } from '../../lib/app-error.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { within } from '../../lib/within.ts'
import { runDirectly } from '../prepared.ts'
import { asAppError, isBusy } from './errors.ts'
import { SqliteQueryCompiler } from './query-compiler.ts'

const MAX_STATEMENTS = 500
const MAX_WAITING = 1000
const RETRY_EVERY_MS = 5

interface Access {
  /**
   * For the write connection: one transaction at a time, others wait in a queue. Otherwise statements run in the order
   * in which they arrive.
   */
  exclusive: boolean
  /** How long a statement retries on a locked file before the answer is 503. */
  patienceMs: number
  /** Given for a connection on the event loop. */
  yieldWhenDue?: () => Promise<void> | undefined
}

/**
 * Kysely on one `node:sqlite` connection. When the file is locked, a statement is retried later and does not block the
 * event loop.
 */
export function sqliteDialect(database: DatabaseSync, access: Access): Dialect {
  const connection = new SqliteConnection(database, access)
  const adapter = new SqliteAdapter()
  if (!access.exclusive) runDirectly(adapter, (sql, parameters) => connection.run(sql, parameters))
  return {
    createDriver: () => new SqliteDriver(database, connection, access),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

class SqliteDriver implements Driver {
  readonly #database: DatabaseSync
  readonly #access: Access
  readonly #connection: SqliteConnection
  #last: Promise<void> = Promise.resolve()
  #waiting = 0
  #deadline = 0 // of the current transaction: for waiting in the queue and for the file together
  #release = () => {}

  constructor(database: DatabaseSync, connection: SqliteConnection, access: Access) {
    this.#database = database
    this.#access = access
    this.#connection = connection
  }

  async init() {}

  async acquireConnection() {
    if (this.#access.exclusive) await this.#takeTurn()
    return this.#connection
  }

  async releaseConnection() {
    if (this.#access.exclusive) this.#release()
  }

  async beginTransaction() {
    await this.#connection.run('begin immediate', [], this.#deadline)
  }

  async commitTransaction() {
    await this.#connection.run('commit')
  }

  async rollbackTransaction() {
    if (this.#database.isTransaction) this.#database.exec('rollback') // a full disk has rolled back already
  }

  async destroy() {} // closed by the code that opened it

  async #takeTurn() {
    if (this.#waiting >= MAX_WAITING) throw busy()
    const deadline = performance.now() + this.#access.patienceMs
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    this.#waiting++
    try {
      await within(this.#access.patienceMs, before, busy)
      this.#release = resolve
      this.#deadline = deadline
    } catch (error) {
      void before.then(resolve) // the next one waits for the one before this
      throw error
    } finally {
      this.#waiting--
    }
  }
}

const busy = () => new AppError('UNAVAILABLE', { retryAfterSeconds: 1 })

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
    return this.run<Row>(sql, parameters)
  }

  /** Runs one statement. Only a statement that has not begun to write can find the file locked, so retrying is safe. */
  run<Row>(sql: string, parameters: readonly unknown[] = [], until?: number): MaybePromise<QueryResult<Row>> {
    try {
      return this.#runNow<Row>(sql, parameters)
    } catch (error) {
      if (!isBusy(error)) throw asAppError(error)
      return this.#runLater(sql, parameters, until ?? performance.now() + this.#access.patienceMs)
    }
  }

  async #runLater<Row>(sql: string, parameters: readonly unknown[], until: number): Promise<QueryResult<Row>> {
    for (;;) {
      await pause(RETRY_EVERY_MS)
      try {
        return this.#runNow<Row>(sql, parameters)
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw asAppError(error)
      }
    }
  }

  // biome-ignore lint/correctness/useYield: rows are never streamed, since an open cursor would keep an old snapshot alive
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('SQLite results are not streamed.')
  }

  #runNow<Row>(sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    const { statement, toRow } = this.#prepare(sql)
    const values = parameters as SQLInputValue[] // node:sqlite checks each of them
    if (toRow) return { rows: statement.all(...values).map(toRow) as Row[] } // Kysely knows the type of the rows
    const { changes } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
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
  return new Function('values', `return { ${members.join(', ')} }`) as RowMaker // as graphql-jit does
}
