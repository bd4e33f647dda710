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

interface Answer {
  rows: Record<string, unknown>[]
  count: number
}

type Run = (text: string, parameters?: readonly unknown[]) => Promise<Answer>

const ofNoReader = new PostgresAdapter()

/** Runs every statement separately, on any free connection. */
export const readingDialect = (run: Run, adapter?: PostgresAdapter): Dialect =>
  dialectOf(({ sql, parameters }) => run(sql, parameters), adapter)

/** Kysely on a function that runs a statement; transactions begin and end elsewhere. */
export function dialectOf(run: (query: CompiledQuery) => Promise<Answer>, adapter = ofNoReader): Dialect {
  const driver = driverOf({
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, count } = await run(query)
      return { rows: rows as Row[], numAffectedRows: BigInt(count) } // Kysely knows the type of the rows
    },
    // biome-ignore lint/correctness/useYield: rows are never streamed, since that would keep a connection for a slow reader
    async *streamQuery(): AsyncIterableIterator<never> {
      throw new Error('PostgreSQL results are not streamed.')
    },
  })
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => adapter, // shared, since it caches compiled queries
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}

const driverOf = (connection: DatabaseConnection): Driver => ({
  init: async () => {},
  acquireConnection: async () => connection,
  beginTransaction: noTransactions,
  commitTransaction: noTransactions,
  rollbackTransaction: noTransactions,
  releaseConnection: async () => {},
  destroy: async () => {},
})

const noTransactions = async () => {
  throw new Error('No transaction begins here: use database.transaction.')
}
