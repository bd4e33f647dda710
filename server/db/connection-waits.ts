import { countLimitRefusal, LIMITS } from '../config/limits.ts'
import { AppError } from '../lib/app-error.ts'
import type { QueueLimits, Refusal } from '../lib/fair-queue.ts'

/** What is done for no organization: sign-ins, health. It has its turn as an organization has. */
export const NO_ORGANIZATION = ''

/** What the portal does by itself, for all organizations: it has a turn of its own, so that nobody's sign-in waits for it. */
export const BACKGROUND_WORK = 'background work'

/** The limits of those who wait for a connection, by organization. */
export const connectionWaits = (patienceMs: number): QueueLimits => ({
  maxWaiting: LIMITS.connection_waits,
  maxWaitingOfGroup: LIMITS.connection_waits_of_organization,
  patienceMs,
  refusal,
})

function refusal(reason: Refusal): AppError {
  if (reason === 'late') return new AppError('UNAVAILABLE', { retryAfterSeconds: 1 })
  countLimitRefusal(reason === 'group full' ? 'connection_waits_of_organization' : 'connection_waits')
  const message = 'Too many reads and writes are waiting. Send fewer at once, and try again in a moment.'
  return new AppError('UNAVAILABLE', { message, retryAfterSeconds: 1 })
}
