import { FIRST_NOTIFICATION_DAYS } from '../api-keys/expiry/expiry.ts'
import type { ApiKeyTable, Db } from '../db/tables.ts'
import { DAY } from '../lib/clock.ts'
import { isPaused } from '../verify-key.ts'

/** As in the filter of the API Keys panel. */
export const UNUSED_DAYS = 90

type KeyTimes = Pick<ApiKeyTable, 'id' | 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'pausedUntil'>

/** How many keys are in each state; one can be in several. */
export interface KeyStates {
  active: number
  paused: number
  expiring: number
  expired: number
  unused: number
  lastUsedAt: number | null
}

/** Every stored key of the organization: at most a thousand short rows by index. */
export const keyTimes = (db: Db, organizationId: string) =>
  db
    .selectFrom('apiKey')
    .select(['id', 'createdAt', 'lastUsedAt', 'expiresAt', 'pausedUntil'])
    .where('organizationId', '=', organizationId)
    .orderBy('id')

export function countStates(keys: readonly KeyTimes[], now: number): KeyStates {
  const current = keys.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  const paused = current.filter((key) => isPaused(key, now)).length
  const isExpiring = ({ expiresAt }: KeyTimes) => expiresAt !== null && expiresAt <= now + FIRST_NOTIFICATION_DAYS * DAY
  const isUnused = ({ lastUsedAt, createdAt }: KeyTimes) => (lastUsedAt ?? createdAt) < now - UNUSED_DAYS * DAY
  return {
    active: current.length - paused,
    paused,
    expiring: current.filter(isExpiring).length,
    expired: keys.length - current.length,
    unused: current.filter(isUnused).length,
    lastUsedAt: keys.reduce<number | null>((last, { lastUsedAt }) => later(last, lastUsedAt), null),
  }
}

const later = (a: number | null, b: number | null) => (a === null || (b !== null && b > a) ? b : a)
