import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'

/** A thread with its own connection, which runs one statement at a time. It imports only types from the project, so that it starts fast. */

const MAX_STATEMENTS = 200
const BUSY_TIMEOUT_MS = 1000
/** A result that does not fit into memory would kill the whole process. */
const MAX_ROWS = 50_000

export interface ReaderData {
  path: string
  timeLimitFunction: string
  /** Not 0: the running statement ends at once. */
  stop: Int32Array
}

export interface ReaderQuestion {
  sql: string
  parameters: readonly unknown[]
  withinMs: number
}

export type ReaderAnswer =
  | { columns: string[]; rows: unknown[][] }
  | { error: { message: string; errcode: number | undefined; isLate: boolean } }

function serve(port: MessagePort, { path, timeLimitFunction, stop }: ReaderData): void {
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  database.exec('pragma query_only = on')
  const statements = new LRUCache<string, StatementSync>({ max: MAX_STATEMENTS })
  let until = 0
  let isLate = false

  database.function(timeLimitFunction, () => {
    isLate = performance.now() > until || Atomics.load(stop, 0) !== 0
    if (isLate) throw new Error('The statement took too long.')
    return 1
  })

  function prepare(sql: string): StatementSync {
    const known = statements.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    statements.set(sql, statement)
    return statement
  }

  function rowsOf(statement: StatementSync, parameters: readonly unknown[]): unknown[][] {
    const rows: unknown[][] = []
    for (const row of statement.iterate(...(parameters as SQLInputValue[]))) {
      if (rows.length === MAX_ROWS) throw new Error(`A read gives more than ${MAX_ROWS} rows.`)
      rows.push(row as unknown as unknown[]) // by setReturnArrays
    }
    return rows
  }

  function answer({ sql, parameters, withinMs }: ReaderQuestion): ReaderAnswer {
    until = performance.now() + withinMs
    isLate = false
    try {
      const statement = prepare(sql)
      return { columns: statement.columns().map(({ name }) => name), rows: rowsOf(statement, parameters) }
    } catch (error) {
      statements.delete(sql) // its next use would fail once more: SQLite reports the error again when it is reset
      const { message = String(error), errcode } = error as { message?: string; errcode?: number } // by node:sqlite
      return { error: { message, errcode, isLate } }
    }
  }

  port.on('message', (question: ReaderQuestion | 'close') => {
    if (question !== 'close') return port.postMessage(answer(question))
    database.close()
    port.close()
  })
}

if (parentPort) serve(parentPort, workerData as ReaderData) // as heavy-reads.ts passes it
