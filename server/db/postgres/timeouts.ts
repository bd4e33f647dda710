import { SECOND } from '../../lib/clock.ts'

/** How long PostgreSQL is waited for. */
export interface PostgresTimeouts {
  /** The server ends a statement after this time … */
  statementMs: number
  /** … and where even that is not heard of, the client gives the connection up. */
  answerMs: number
  /** Between two statements of a transaction: a writer that was stopped in it is cut off, not waited for. */
  idleInTransactionMs: number
  /** For a connection, where all are in use. */
  connectionMs: number
  /** Who is calling: from the question to the answer. */
  lookupMs: number
  /** For a connection and an answer, where only that is asked. */
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
