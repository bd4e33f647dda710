import { sortKey } from '../../lib/check.ts'
import { LAST_MOMENT } from '../../lib/clock.ts'
import type { ListedKey } from './states.ts'

export type ApiKeySortField = 'CREATED_AT' | 'LABEL' | 'LAST_USED_AT' | 'EXPIRES_AT'

export interface ApiKeySort {
  by: ApiKeySortField
  /** Absent: ASC. */
  direction?: 'ASC' | 'DESC' | null | undefined
}

export const NEWEST_FIRST: ApiKeySort = { by: 'CREATED_AT', direction: 'DESC' }

/** Never used is before every use, and no expiration after all others. The id decides, and begins with the creation. */
const VALUE: Record<Exclude<ApiKeySortField, 'CREATED_AT'>, (key: ListedKey) => string | number> = {
  LABEL: ({ label }) => sortKey(label),
  LAST_USED_AT: ({ lastUsedAt }) => lastUsedAt ?? 0,
  EXPIRES_AT: ({ expiresAt }) => expiresAt ?? LAST_MOMENT,
}

type CursorValues = (string | number)[]

/** What a cursor of this order has: the value, and the id. */
export function cursorTypes({ by }: ApiKeySort): ('string' | 'number')[] {
  if (by === 'CREATED_AT') return ['string']
  return [by === 'LABEL' ? 'string' : 'number', 'string']
}

export const cursorValues = (key: ListedKey, { by }: ApiKeySort): CursorValues =>
  by === 'CREATED_AT' ? [key.id] : [VALUE[by](key), key.id]

export function sorted(keys: readonly ListedKey[], order: ApiKeySort): ListedKey[] {
  return keys
    .map((key) => ({ key, values: cursorValues(key, order) }))
    .sort((a, b) => compare(a.values, b.values, order))
    .map(({ key }) => key)
}

export const isAfter = (key: ListedKey, cursor: CursorValues, order: ApiKeySort) =>
  compare(cursorValues(key, order), cursor, order) > 0

function compare(a: CursorValues, b: CursorValues, { direction }: ApiKeySort): number {
  const at = a.findIndex((value, index) => value !== b[index])
  if (at === -1) return 0
  const isLess = (a[at] ?? '') < (b[at] ?? '')
  return isLess === (direction !== 'DESC') ? -1 : 1
}
