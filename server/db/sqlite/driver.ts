import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { CompiledQuery, QueryResult } from 'kysely'
import { LRUCache } from 'lru-cache'
import { Reads } from '../prepared.ts'
import { Transaction } from '../transaction.ts'
import { tookTooLong } from '../transaction-time.ts'
import { sqliteDialect } from './dialect.ts'
import { asAppError, isBusy } from './errors.ts'
import type { OpenFiles } from './open-files.ts'

/** Only what is locked has to be waited for. */
type MaybePromise<Value> = Value | Promise<Value>

const MAX_STATEMENTS = 500
const RETRY_EVERY_MS = 5

interface Access {
  /** Until when a statement retries on a locked file before the answer is 503. */
  retryUntil(): number
  /** Given for a connection on the event loop. */
  yieldWhenDue?: () => Promise<void> | undefined
  /** Nothing is read from, or answered as written to, files that were replaced. */
  files?: Pick<OpenFiles, 'requireSame' | 'requireSameNow'>
}

/** Where reads run on this connection, in the order in which they arrive. */
export const sqliteReads = (connection: SqliteConnection): Reads =>
  new Reads(sqliteDialect(connection.executeQuery), (sql, values) => connection.run(sql, values))

/** When the file is locked, a statement is retried later and does not block the event loop. Writers run one transaction at a time. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #access: Access
  readonly #statements = new LRUCache<string, Prepared>({ max: MAX_STATEMENTS })

  constructor(database: DatabaseSync, access: Access) {
    this.#database = database
    this.#access = access
  }

  /** All or nothing: begins when no other transaction of this connection is open. */
  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>, endsAt: number): Promise<Result> {
    await this.run('begin immediate')
    let isOpen = true
    const requireOpen = () => {
      if (!isOpen) throw new Error('The transaction has ended.') // what runs now would be committed by itself
      if (performance.now() > endsAt) throw tookTooLong()
    }
    try {
      const transaction = new Transaction({ dialect: sqliteDialect((query) => this.#inTurn(query, requireOpen)) })
      const result = await work(transaction)
      await transaction.writeRevocations()
      isOpen = false
      await this.run('commit')
      this.#access.files?.requireSameNow()
      return result
    } finally {
      isOpen = false
      if (this.#database.isTransaction) this.#database.exec('rollback') // a full disk has rolled back already
    }
  }

  readonly executeQuery = (query: CompiledQuery): Promise<QueryResult<unknown>> => this.#inTurn(query)

  async #inTurn({ sql, parameters }: CompiledQuery, requireOpen?: () => void): Promise<QueryResult<unknown>> {
    const others = this.#access.yieldWhenDue?.()
    if (others !== undefined) await others
    requireOpen?.()
    return this.run(sql, parameters)
  }

  /** Only a statement that has not begun to write can find the file locked, so retrying is safe. */
  run(sql: string, parameters: readonly unknown[] = []): MaybePromise<QueryResult<unknown>> {
    try {
      return this.#runNow(sql, parameters)
    } catch (error) {
      if (!isBusy(error)) throw asAppError(error)
      return this.#retry(sql, parameters, this.#access.retryUntil())
    }
  }

  async #retry(sql: string, parameters: readonly unknown[], until: number): Promise<QueryResult<unknown>> {
    for (;;) {
      await pause(RETRY_EVERY_MS)
      try {
        return this.#runNow(sql, parameters)
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw asAppError(error)
      }
    }
  }

  #runNow(sql: string, parameters: readonly unknown[]): QueryResult<unknown> {
    this.#access.files?.requireSame()
    const { statement, toRow } = this.#statements.get(sql) ?? this.#prepare(sql)
    const values = parameters as SQLInputValue[] // node:sqlite checks each of them
    if (toRow) return { rows: statement.all(...values).map(toRow) }
    const { changes } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  #prepare(sql: string): Prepared {
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

/** Rows from an object literal: the objects of node:sqlite are dictionaries, which are slow to create and to read. */
export function rowMaker(columns: string[]): RowMaker {
  const members = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`)
  return new Function('values', `return { ${members.join(', ')} }`) as RowMaker // the names are from the portal's own queries
}
