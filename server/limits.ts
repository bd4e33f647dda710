import { AppError } from './lib/app-error.ts'
import { limitRefusals } from './lib/counts.ts'

/**
 * The limits of each caller, so that others have their share, by the names that they have in the metrics. The same
 * table is in docs/operations.md. The backoff for guessing is in identity/login-backoff.ts.
 */
export const LIMITS = {
  /** Active keys of an organization, or fewer by its policy. */
  active_keys: 100,
  /** Active keys of one line: a key, and the one that it has replaced. */
  keys_of_line: 2,
  /** Ancestors of a key that are stored: the nearest. */
  key_ancestors: 100,
  /**
   * Keys of an organization that are stored, active and expired ones together: beyond it, the oldest expired ones are
   * removed.
   */
  kept_keys: 1000,
  organizations_of_person: 100,
  organizations_made: 20,
  devices: 1_000_000,
  /** Members and open invitations of an organization. */
  people: 10_000,
  open_invitations: 1000,
  emails_of_person: 100,
  emails_of_organization: 50,
  emails_to_recipient: 10,
  emails_to_recipient_of_organization: 3,
  /** Requests of a source to /auth/… in a minute, successful or not. */
  auth_requests: 600,
  sign_ups: 20,
  sign_in_source: 50,
  sign_in_account: 5,
  /** Passwords of one source that wait to be hashed, and of all sources. */
  passwords_of_source: 20,
  passwords: 2000,
  /** Milliseconds of each second for parsing and validating documents that are not known yet, of all callers together. */
  documents: 250,
  /** Such documents of one organization that wait for it. */
  documents_of_organization: 50,
  /** The same of all organizations. */
  documents_waiting: 500,
  connections: 10_000,
  /** Requests whose head came and whose body did not, of one source and of all. */
  unfinished_requests_of_source: 200,
  unfinished_requests: 2000,
  /** Reads and writes of an organization that wait for a connection to PostgreSQL, and those of all. */
  connection_waits_of_organization: 1000,
  connection_waits: 10_000,
  /** Requests of an organization in a second, as a multiple of those of a key. */
  requests_of_organization: 5,
  /** As RATE_LIMIT says; this is its default. */
  requests_of_caller: 100,
  refused_keys: 30,
} as const

export type LimitName = keyof typeof LIMITS

export const noteLimitRefusal = (limit: LimitName) => limitRefusals.add(limit)

/** A limit on how much there may be. The message says what to do. */
export function limitExceeded(limit: LimitName, message: string): AppError {
  noteLimitRefusal(limit)
  return new AppError('LIMIT_EXCEEDED', { message })
}

/** A limit on how much there may be at a time. */
export function rateLimited(limit: LimitName, waitMs: number, message?: string): AppError {
  noteLimitRefusal(limit)
  return new AppError('RATE_LIMITED', {
    ...(message !== undefined && { message }),
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}
