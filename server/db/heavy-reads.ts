import { AppError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'

/** The limits of queries that may read many rows. */
export interface HeavyReads {
  /** That read on SQLite; on PostgreSQL such reads have half of the connections, and those of one organization a quarter. */
  threads: number
  /** On SQLite; on PostgreSQL it is the time of any statement. */
  statementMs: number
  /** How long one waits in the queue. */
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

/** On whose behalf something is read. */
export interface Requester {
  organizationId: string
  /** Whether nobody waits for the answer any more. */
  isDisconnected?: (() => boolean) | undefined
}

/** A retry does not help here. */
export const tookTooLong = (cause?: unknown) =>
  new AppError('UNAVAILABLE', {
    message: 'This takes too long to find or to count. Narrow the filter, or leave out totalCount.',
    retryAfterSeconds: 1,
    cause,
  })
