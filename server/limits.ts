import { limitRefusals } from './lib/counts.ts'
import { Failure } from './lib/failure.ts'

/**
 * What one caller may take, so that others have their share: every such limit, by the name that it has in the metrics. The
 * same table is in docs/operations.md. How fast a guess may follow another is in identity/tries.ts.
 */
export const LIMITS = {
  /** Active keys of an organization, or fewer by its policy. */
  active_keys: 100,
  /** Active keys of one line: a key, and the one that it has replaced. */
  keys_of_line: 2,
  /** Keys above a key that are remembered: the nearest. */
  key_ancestors: 100,
  /** Keys of an organization that are kept, active and expired ones together: of more, the oldest expired ones are removed. */
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
  /** Requests of a source to /auth/… in a minute, whatever comes of them. */
  auth_requests: 600,
  sign_ups: 20,
  sign_in_source: 50,
  sign_in_account: 5,
  /** Passwords of one source that wait to be hashed, and of all sources. */
  passwords_of_source: 20,
  passwords: 2000,
  /** Requests of an organization in a second, as a multiple of those of a key. */
  requests_of_organization: 5,
  /** As RATE_LIMIT says; this is its default. */
  requests_of_caller: 100,
  refused_keys: 30,
} as const

export type LimitName = keyof typeof LIMITS

export const noteLimitRefusal = (limit: LimitName) => limitRefusals.add(limit)

/** A limit on how much there may be. The words say what to do. */
export function limitExceeded(limit: LimitName, says: string): Failure {
  noteLimitRefusal(limit)
  return new Failure('LIMIT_EXCEEDED', { says })
}

/** A limit on how much there may be at a time. */
export function rateLimited(limit: LimitName, waitMs: number, says?: string): Failure {
  noteLimitRefusal(limit)
  return new Failure('RATE_LIMITED', {
    ...(says !== undefined && { says }),
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}
