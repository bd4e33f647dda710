import { badInput, sortKey } from '../../lib/check.ts'
import { LAST_MOMENT } from '../../lib/clock.ts'
import { cursorOf, encodeCursor, type PageArgs } from '../../lib/page.ts'
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

type SortValues = (string | number)[]

const sortValues = (key: ListedKey, { by }: ApiKeySort): SortValues =>
  by === 'CREATED_AT' ? [key.id] : [VALUE[by](key), key.id]

function typesOf({ by }: ApiKeySort): ('string' | 'number')[] {
  if (by === 'CREATED_AT') return ['string']
  return [by === 'LABEL' ? 'string' : 'number', 'string']
}

/** At the beginning of its cursors, so that none is used in another order. Newest first has none, as without a sort. */
const labelOf = ({ by, direction }: ApiKeySort): string[] =>
  by === 'CREATED_AT' && direction === 'DESC' ? [] : [`${by} ${direction ?? 'ASC'}`]

export const cursorIn = (order: ApiKeySort, key: ListedKey): string =>
  encodeCursor([...labelOf(order), ...sortValues(key, order)])

/** Where a cursor points to; undefined without one. Throws for a cursor of another order. */
export function positionIn(order: ApiKeySort, { after }: PageArgs): SortValues | undefined {
  if (after == null) return undefined
  const label = labelOf(order)
  const values = cursorOf(after, [...label.map(() => 'string' as const), ...typesOf(order)])
  if (!values || label.some((each) => each !== values[0]))
    throw badInput('after', 'after: an endCursor of this list in the same order.')
  return values.slice(label.length)
}

export function sorted(keys: readonly ListedKey[], order: ApiKeySort): ListedKey[] {
  return keys
    .map((key) => ({ key, values: sortValues(key, order) }))
    .sort((a, b) => compare(a.values, b.values, order))
    .map(({ key }) => key)
}

export const isAfter = (key: ListedKey, position: SortValues, order: ApiKeySort) =>
  compare(sortValues(key, order), position, order) > 0

function compare(a: SortValues, b: SortValues, { direction }: ApiKeySort): number {
  const at = a.findIndex((value, index) => value !== b[index])
  if (at === -1) return 0
  const isLess = (a[at] ?? '') < (b[at] ?? '')
  return isLess === (direction !== 'DESC') ? -1 : 1
}
