import { SECOND } from '../../lib/clock.ts'

export interface PostgresTimeouts {
  /** The server ends a statement after this time … */
  statementMs: number
  /** … and if even that answer does not come, the client closes the connection. */
  answerMs: number
  /** Between two statements of a transaction: the server ends the transaction of a stopped process. */
  idleInTransactionMs: number
  /** For a free connection in the pool. */
  connectionMs: number
  /** For a lookup, from the request to the answer. */
  lookupMs: number
  /** For a ping, with the wait for a connection. */
  pingMs: number
}

export const POSTGRES_TIMEOUTS: PostgresTimeouts = {
  statementMs: 5 * SECOND,
  answerMs: 6 * SECOND,
  idleInTransactionMs: 2 * SECOND,
  connectionMs: 5 * SECOND,
  lookupMs: SECOND,
  pingMs: 2 * SECOND,
}
