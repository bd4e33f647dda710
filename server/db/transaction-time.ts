import { AppError } from '../lib/app-error.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import type { TransactionOptions } from './database.ts'

/** How long a transaction may go on with further statements: less than others wait for it. A bulk of 500 items takes a twentieth. */
const MAX_MS = 3 * SECOND

/** A revoke always ends: it is never undone because it takes long. */
export function maxTransactionMs({ noTimeout, isLong, usesReserve }: TransactionOptions, maxMs = MAX_MS): number {
  if (noTimeout || usesReserve === 'revoke') return Number.POSITIVE_INFINITY
  return isLong ? MINUTE : maxMs
}

export const tookTooLong = () =>
  new AppError('UNAVAILABLE', {
    message:
      'This change took too long and was undone, so that others can write. Send fewer items in a call, or try again in a moment.',
    retryAfterSeconds: 1,
  })
