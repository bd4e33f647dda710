import { AppError } from '../../lib/app-error.ts'
import { codeOf } from '../../lib/error-text.ts'
import { overBudget } from '../byte-budgets.ts'

const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const NOT_PERMITTED = '42501'
const READ_ONLY = '25006'
const IDLE_IN_TRANSACTION = '25P03'
const LOCK_NOT_AVAILABLE = '55P03'
const QUERY_CANCELED = '57014'
/** Errors of a database that is being restored: a table is missing, or has no keys yet, which `on conflict` needs. */
const UNDEFINED_TABLE = '42P01'
const NO_SUCH_KEY = '42P10'

/** Classes of errors that are the server's and not the statement's: connection, rollback, resources, operator, system, internal. */
const NOT_THE_STATEMENT = /^(08|40|53|57|58|XX)/

const NOT_NOW = [READ_ONLY, IDLE_IN_TRANSACTION, LOCK_NOT_AVAILABLE, UNDEFINED_TABLE, NO_SUCH_KEY]

export const isUniqueViolationOfPostgres = (error: unknown) => codeOf(error) === UNIQUE_VIOLATION
export const isOutOfTime = (error: unknown) => codeOf(error) === QUERY_CANCELED
export const isNotPermitted = (error: unknown) => codeOf(error) === NOT_PERMITTED

/** Two transactions conflicted, and this one was rolled back: it may run again from its beginning. */
export const isConflict = (error: unknown) => codeOf(error) === DEADLOCK || codeOf(error) === SERIALIZATION_FAILURE

/** When the database cannot answer, the answer is UNAVAILABLE, never yes. */
export function asAppError(error: unknown): unknown {
  if (error instanceof AppError) return error
  return isUnavailable(error) ? unavailable(error) : (overBudget(error) ?? error)
}

export const unavailable = (cause: unknown) => new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause })

export const timedOut = () => Object.assign(new Error('PostgreSQL does not answer in time.'), { code: 'ETIMEDOUT' })

/** By name: the driver is loaded only when it is needed. */
export const isFromServer = (error: unknown) => error instanceof Error && error.name === 'PostgresError'

function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (!isFromServer(error)) return code !== '' // connection errors: ECONNRESET, CONNECTION_CLOSED, …
  return NOT_THE_STATEMENT.test(code) || NOT_NOW.includes(code)
}
