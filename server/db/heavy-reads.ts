import { SECOND } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'

/** The limits of reads that may go through many rows. */
export interface HeavyReads {
  /** That read on SQLite; on PostgreSQL such reads have half of the connections, and those of one organization a quarter. */
  threads: number
  /** On SQLite; on PostgreSQL it is the time of any statement. */
  statementMs: number
  /** How long one waits for its turn. */
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
export interface Asker {
  organizationId: string
  /** Whether nobody waits for the answer any more. */
  isGone?: (() => boolean) | undefined
}

/** To try again does not help here. */
export const tookTooLong = (cause?: unknown) =>
  new Failure('UNAVAILABLE', {
    says: 'This takes too long to find or to count. Narrow the filter, or leave out totalCount.',
    retryAfterSeconds: 1,
    cause,
  })
