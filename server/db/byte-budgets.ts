import { LIMITS, limitExceeded } from '../config/limits.ts'
import { AppError } from '../lib/app-error.ts'

/** What an organization stores and is counted in bytes, by the name of its limit, and what to do when there are none left. */
const BUDGETS = {
  audit_bytes_a_day:
    'of audit log for today: until midnight UTC, nothing is done that adds to it. Reading, revoking and pausing until resumed go on.',
  answer_bytes:
    'of recorded answers, each of which is stored for 24 hours. Send it without an Idempotency-Key, or wait; ask for fewer fields next time.',
  delivery_bytes:
    'of deliveries to webhooks that wait. Look at the webhooks whose receivers do not accept them, and disable or delete those.',
} as const

/**
 * How far a write may go: to what an organization has, or to a multiple of it. Nothing that a key does again and again
 * keeps its people out, and what takes access away has no limit of its own: it happens once for each time that access is given.
 */
export type Budget = keyof typeof MULTIPLES

const MULTIPLES = { NORMAL: 1, RESERVE: 2, SIGN_IN: 4, UNLIMITED: Number.POSITIVE_INFINITY } as const

export const mostBytes = (kind: StoredKind, budget: Budget): number =>
  Math.min(LIMITS[kind] * MULTIPLES[budget], Number.MAX_SAFE_INTEGER)

export const largestOf = (budgets: readonly Budget[]): Budget =>
  budgets.reduce((largest, each) => (MULTIPLES[each] > MULTIPLES[largest] ? each : largest), 'NORMAL')

export type StoredKind = keyof typeof BUDGETS

export const STORED_KINDS = Object.keys(BUDGETS) as StoredKind[] // the type of Object.keys does not say which

/** The error of a write that would store more than an organization may; undefined for any other. */
export function overBudget(error: unknown): AppError | undefined {
  const constraint = violatedCheck(error)
  const kind = STORED_KINDS.find((name) => name === constraint)
  if (!kind) return undefined
  const maxBytes = LIMITS[kind]
  const message = `Nothing was done. This organization has used its ${maxBytes / 1024 ** 2} MB ${BUDGETS[kind]}`
  return limitExceeded(kind, message, { limit: kind, maxBytes })
}

/** The name of the constraint: PostgreSQL has a field for it, SQLite has it in the message. */
function violatedCheck(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  if ('constraint_name' in error) return error.constraint_name
  return /^CHECK constraint failed: (\w+)$/.exec(error.message)?.[1]
}

export const isOverBudget = (error: unknown): boolean => error instanceof AppError && error.code === 'LIMIT_EXCEEDED'
