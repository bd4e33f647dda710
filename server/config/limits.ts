import { AppError } from '../lib/app-error.ts'
import { limitRefusals } from './counts.ts'

/** By their names in the metrics, as in docs/operations.md. How waits for sign-ins, sign-ups and emails grow is in identity/backoff.ts. */
export const LIMITS = {
  /** Active keys of an organization, or fewer by its policy. */
  active_keys: 100,
  /** Active keys of one chain of rotations: a key, and the one that it replaced. */
  keys_of_rotation_chain: 2,
  canary_keys: 50,
  /** Stored ancestors of a key: those that are accepted, then the nearest. */
  key_ancestors: 100,
  /** Stored keys of an organization, active and expired: beyond it, the oldest expired keys are deleted. */
  stored_keys: 1000,
  organizations_of_person: 100,
  organizations_created: 20,
  devices: 1_000_000,
  /** Saved views of the device list: of a person in an organization, and as many for everyone in it. */
  device_views: 50,
  webhooks: 20,
  /** Tests of an organization that wait or are on their way: each occupies a connection until the receiver answers. */
  webhook_tests: 8,
  /** Bytes of the deliveries of an organization that wait for its webhooks. */
  delivery_bytes: 256 * 1024 ** 2,
  /** Bytes of the audit log of an organization in a day of UTC. */
  audit_bytes_a_day: 256 * 1024 ** 2,
  /** Bytes of the answers of an organization that are recorded for retries, for 24 hours. */
  answer_bytes: 64 * 1024 ** 2,
  /** Members and open invitations of an organization. */
  people: 10_000,
  open_invitations: 1000,
  emails_of_person: 100,
  emails_of_organization: 50,
  emails_to_recipient: 10,
  emails_to_recipient_of_organization: 3,
  /** Links for a new password, and as many to verify an address: in a day, then with waits. */
  requested_links_of_source: 10,
  requested_links_to_recipient: 3,
  /** Requests of a source to /auth/… in a minute, successful or not. */
  auth_requests: 600,
  /** Sessions of a person: another one ends the oldest. */
  sessions_of_person: 100,
  sign_ups: 20,
  sign_in_source: 50,
  sign_in_account: 5,
  /** Passwords that wait to be hashed, from one source and from all sources. */
  passwords_of_source: 20,
  passwords: 2000,
  /** Milliseconds of each second for parsing and validating documents that are not cached, for all callers together. */
  documents: 250,
  /** Such documents that wait, of one organization. */
  documents_of_organization: 50,
  /** Such documents that wait, of all organizations. */
  documents_waiting: 500,
  connections: 10_000,
  /** Requests of a connection that are not answered yet. */
  open_requests_of_connection: 100,
  /** Bytes of answers that clients have not read yet, in a process. */
  unsent_bytes: 128 * 1024 ** 2,
  /** Requests whose headers arrived without the whole body, from one source and from all. */
  unfinished_requests_of_source: 200,
  unfinished_requests: 2000,
  /** Bodies beyond the general limit that are being read, of one organization and of all. */
  bulk_bodies_of_organization: 4,
  bulk_bodies: 16,
  /** Reads and writes of an organization that wait for a connection to the database, and those of all. */
  connection_waits_of_organization: 1000,
  connection_waits: 10_000,
  /** The most that may be chosen as the limits of one key. */
  requests_of_key: 10_000,
  requests_of_key_a_day: 1_000_000_000,
  /** Requests of an organization in a second, as a multiple of those of one caller. */
  requests_of_organization: 5,
  requests_of_caller: 100,
  refused_keys: 30,
} as const

export type LimitName = keyof typeof LIMITS

export const countLimitRefusal = (limit: LimitName) => limitRefusals.add(limit)

/** The error for too many objects. The message says what to do. */
export function limitExceeded(
  limit: LimitName,
  message: string,
  extensions?: Readonly<Record<string, number | string>>,
): AppError {
  countLimitRefusal(limit)
  return new AppError('LIMIT_EXCEEDED', { message, ...(extensions && { extensions }) })
}

export function rateLimited(limit: LimitName, waitMs: number, message?: string): AppError {
  countLimitRefusal(limit)
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new AppError('RATE_LIMITED', { limit, ...(message !== undefined && { message }), retryAfterSeconds })
}
