import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import {
  ANSWER_WITHIN_MS,
  IDLE_IN_TRANSACTION_MS,
  type PostgresConnection,
  STATEMENT_TIMEOUT_MS,
} from './postgres-connection.ts'

const adapter = new PostgresAdapter()

/** Kysely on whatever runs a statement. */
function dialectOf(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => adapter, // one for all: queries that are compiled once are kept by it
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}

type Run = PostgresConnection['query']

const connectionBy = (run: Run): DatabaseConnection => ({
  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, count } = await run(sql, parameters)
    return { rows: rows as Row[], numAffectedRows: BigInt(count) } // the shape is Kysely's to know
  },
  // biome-ignore lint/correctness/useYield: rows are never streamed, since that would keep a connection for a slow reader
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('PostgreSQL results are not streamed.')
  },
})

const noTransactions = async () => {
  throw new Error('This connection only reads: use database.transaction.')
}

/** Every statement on its own, on whichever connection is free. */
export function readingDialect(run: Run): Dialect {
  const connection = connectionBy(run)
  return dialectOf({
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    releaseConnection: async () => {},
    destroy: async () => {},
  })
}

/** Transactions on one connection. Unhurried ones, for migrations, may take as long as they take. */
export function writingDialect(connection: PostgresConnection, { unhurried }: { unhurried: boolean }): Dialect {
  const answerWithinMs = unhurried ? NEVER_MS : ANSWER_WITHIN_MS
  const run: Run = (text, parameters) => connection.query(text, parameters, answerWithinMs)
  const kysely = connectionBy(run)
  return dialectOf({
    init: async () => {},
    acquireConnection: async () => kysely,
    beginTransaction: async () => void (await run(begin(unhurried ? 0 : STATEMENT_TIMEOUT_MS))),
    async commitTransaction() {
      try {
        await run('commit')
      } catch (error) {
        connection.close() // whether it was kept is not known, and what the connection thinks neither
        throw error
      }
    },
    // Closing rolls back as well, where there is no connection left to say so on.
    rollbackTransaction: () =>
      run('rollback').then(
        () => {},
        () => connection.close(),
      ),
    releaseConnection: async () => {},
    destroy: async () => {},
  })
}

const NEVER_MS = 2 ** 31 - 1

/**
 * Set for the transaction, since behind a pooler there is no session to set it for. A server that answers before it has
 * written is told to write first: what was revoked would be back after a crash.
 */
const begin = (statementTimeoutMs: number) =>
  `begin; set local statement_timeout = ${statementTimeoutMs};
  set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`
