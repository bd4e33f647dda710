import { GraphQLError } from 'graphql'
import { AppError } from '../lib/app-error.ts'
import type { Log } from '../lib/log.ts'

/**
 * When one entry of a list throws at once, graphql-js (16) leaves the list, and nobody waits for the entries before it any
 * more. If one of them fails later, its promise is rejected without anybody to handle it, which would end the process. The
 * checks of arguments and of access reject instead of throwing; this is for what is left, which are bugs.
 *
 * Whether it was such an error, for which there is an answer already.
 */
export function isFieldError(reason: unknown, log: Log): boolean {
  if (!(reason instanceof GraphQLError) || !reason.path) return false
  const { originalError, path } = reason
  if (!(originalError instanceof AppError)) log.error({ path, err: originalError ?? reason }, 'bug')
  return true
}
