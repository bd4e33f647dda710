import { type ApiKeyState, IS } from '../api-keys/list/states.ts'
import type { ApiKeyTable, Db } from '../db/tables.ts'

const COLUMNS = [
  'id',
  'createdAt',
  'lastUsedAt',
  'expiresAt',
  'pausedUntil',
  'replacedById',
  'rules',
] as const satisfies (keyof ApiKeyTable)[]

export type KeyRow = Pick<ApiKeyTable, (typeof COLUMNS)[number]>

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
export const keyRows = (db: Db, organizationId: string) =>
  db.selectFrom('apiKey').select(COLUMNS).where('organizationId', '=', organizationId).orderBy('id')

export function countStates(keys: readonly KeyRow[], now: number): KeyStates {
  const count = (state: ApiKeyState) => keys.filter((key) => IS[state](key, now)).length
  return {
    active: count('ACTIVE'),
    paused: count('PAUSED'),
    expiring: count('EXPIRING'),
    expired: count('EXPIRED'),
    unused: count('UNUSED'),
    lastUsedAt: keys.reduce<number | null>((last, { lastUsedAt }) => later(last, lastUsedAt), null),
  }
}

const later = (a: number | null, b: number | null) => (a === null || (b !== null && b > a) ? b : a)
