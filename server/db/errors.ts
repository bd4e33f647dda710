import { AppError } from '../lib/app-error.ts'
import { asAppError as asAppErrorOfPostgres, isUniqueViolationOfPostgres } from './postgres/errors.ts'
import { asAppError as asAppErrorOfSqlite, isUniqueViolationOfSqlite } from './sqlite/errors.ts'

export const isUniqueViolation = (error: unknown): boolean =>
  isUniqueViolationOfSqlite(error) || isUniqueViolationOfPostgres(error)

/** Whether the database could not answer, or has a conflict: not what was asked of it is wrong, but all of a transaction. */
export const isUnavailable = (error: unknown): boolean => {
  const isOfSqlite = error instanceof Error && 'errcode' in error
  const shown = isOfSqlite ? asAppErrorOfSqlite(error) : asAppErrorOfPostgres(error)
  return shown instanceof AppError && shown.code === 'UNAVAILABLE'
}

export const asUnavailable = (cause: unknown) => new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause })
