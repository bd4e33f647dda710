import { AppError } from '../../lib/app-error.ts'
import { overBudget } from '../byte-budgets.ts'

// Primary result codes of SQLite, the low byte of `errcode`.
const BUSY = 5
const LOCKED = 6
const READ_ONLY = 8
const IO_ERROR = 10
const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const NOT_A_DATABASE = 26
/** A write that failed otherwise than by a full disk: also beyond a quota. */
const IO_ERROR_WRITE = 778
/** No room for the index of the write-ahead log. */
const IO_ERROR_SHM_SIZE = 4874
const UNIQUE = 2067
const PRIMARY_KEY = 1555

const UNAVAILABLE = new Set([BUSY, LOCKED, READ_ONLY, IO_ERROR, CORRUPT, FULL, CANNOT_OPEN, NOT_A_DATABASE])

const codeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0

const primaryCodeOf = (error: unknown) => codeOf(error) & 0xff

export const isBusy = (error: unknown) => primaryCodeOf(error) === BUSY || primaryCodeOf(error) === LOCKED
export const isDamaged = (error: unknown) => primaryCodeOf(error) === CORRUPT || primaryCodeOf(error) === NOT_A_DATABASE
export const isUniqueViolationOfSqlite = (error: unknown) => codeOf(error) === UNIQUE || codeOf(error) === PRIMARY_KEY

/** Whether the disk had no room for it. */
export function isDiskFull(error: unknown): boolean {
  if (primaryCodeOf(error) === FULL || [IO_ERROR_WRITE, IO_ERROR_SHM_SIZE].includes(codeOf(error))) return true
  return error instanceof Error && error.cause !== undefined && isDiskFull(error.cause)
}

/** When the database cannot answer, the answer is UNAVAILABLE, never yes. */
export function asAppError(error: unknown): unknown {
  if (!UNAVAILABLE.has(primaryCodeOf(error))) return overBudget(error) ?? error
  return new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause: error })
}
