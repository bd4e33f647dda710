import { isUniqueViolationOfPostgres } from './postgres/errors.ts'
import { isUniqueViolationOfSqlite } from './sqlite/errors.ts'

/** Whether a write was refused because the value exists already. */
export const isUniqueViolation = (error: unknown): boolean =>
  isUniqueViolationOfSqlite(error) || isUniqueViolationOfPostgres(error)
