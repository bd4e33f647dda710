import { AppError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'

export interface HeavyReads {
  /** Threads that read on SQLite. On PostgreSQL such reads use at most half of the connections, those of one organization an eighth, at least one. */
  threads: number
  /** The time limit on SQLite; on PostgreSQL it is that of any statement. */
  statementMs: number
  patienceMs: number
  maxWaiting: number
  maxWaitingOfOrganization: number
}

export const HEAVY_READS: HeavyReads = {
  threads: 2,
  statementMs: 5 * SECOND,
  patienceMs: 5 * SECOND,
  maxWaiting: 1000,
  maxWaitingOfOrganization: 100,
}

export interface Requester {
  organizationId: string
  isDisconnected?: (() => boolean) | undefined
}

/** A retry does not help here. */
export const tookTooLong = (cause?: unknown) =>
  new AppError('UNAVAILABLE', {
    message: 'This takes too long to find or to count. Narrow the filter, or leave out totalCount.',
    retryAfterSeconds: 1,
    cause,
  })

export const tooManyWaiting = () =>
  new AppError('UNAVAILABLE', {
    message: 'Too many expensive queries are waiting. Send fewer at once, and try again in a moment.',
    retryAfterSeconds: 1,
  })
