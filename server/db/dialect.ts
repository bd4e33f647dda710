import type { CompiledQuery, Dialect, QueryResult } from 'kysely'

/** What differs between the two databases. Each has one adapter, by which compiled queries know it. */
type Parts = Omit<Dialect, 'createDriver'>

/** Kysely on a function that runs a statement; transactions begin and end elsewhere. */
export function dialectOn(run: (query: CompiledQuery) => Promise<QueryResult<unknown>>, parts: Parts): Dialect {
  const connection = {
    executeQuery: <Row>(query: CompiledQuery) => run(query) as Promise<QueryResult<Row>>, // Kysely knows the type of the rows
    /** An open cursor would keep an old snapshot, or a connection, for a slow reader. */
    streamQuery(): never {
      throw new Error('Rows are never streamed.')
    },
  }
  const driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    destroy: async () => {}, // closed by the code that opened it
  }
  return { ...parts, createDriver: () => driver }
}

const noTransactions = async () => {
  throw new Error('No transaction begins here: use database.transaction.')
}
