import type { DeviceSearch, DeviceSort, DeviceStatus } from '../../api/devices.ts'
import { MAX_SEARCH, MAX_TAG, MAX_TAGS } from '../../limits.ts'
import { knownColumns } from './device-columns.ts'

const STATUSES = ['ONLINE', 'OFFLINE', 'NEVER_SEEN'] as const satisfies DeviceStatus[]

/** By name is no order of its own: it is the one without a word. */
const SORTS = [
  '-name',
  'lastSeen',
  '-lastSeen',
  'created',
  '-created',
  'updated',
  '-updated',
] as const satisfies DeviceSort[]

/** What an address asks for. What makes no sense in it is named too, or the router would keep it. */
export function deviceSearch(given: Record<string, unknown>): DeviceSearch {
  const tags = tagsOf(given['tags'])
  const { enabled, after } = given
  return {
    search: text(given['search'], MAX_SEARCH) || undefined,
    status: STATUSES.find((known) => known === given['status']),
    tags: tags.length > 0 ? tags : undefined,
    enabled: typeof enabled === 'boolean' ? enabled : undefined,
    sort: SORTS.find((known) => known === given['sort']),
    columns: knownColumns(given['columns']),
    after: (typeof after === 'string' && after) || undefined,
  }
}

function tagsOf(given: unknown): string[] {
  const tags = (Array.isArray(given) ? given : [given]).map((tag) => text(tag, MAX_TAG).trim())
  return [...new Set(tags.filter(Boolean))].slice(0, MAX_TAGS)
}

/** A name may be all digits, which the router reads as a number. */
function text(given: unknown, max: number): string {
  if (typeof given !== 'string' && typeof given !== 'number') return ''
  const clean = [...String(given).replace(/\p{Cc}/gu, '')].slice(0, max).join('')
  return clean.trim() === '' ? '' : clean // a blank at the end may still become a word
}
