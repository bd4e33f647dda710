import { type ApiKeyAccess, keyRules } from '../../caller/key-rules.ts'
import { isPaused } from '../../caller/verify-key.ts'
import { checkSearch, sortKey } from '../../lib/check.ts'
import { DAY } from '../../lib/clock.ts'
import type { ApiKey } from '../api-key.ts'
import { isExpired, isExpiring } from '../expiry/expiry.ts'
import { MAX_USER_AGENT_LENGTH } from '../usage/counter.ts'

/** A key that was not used for so long is likely to be forgotten. */
export const UNUSED_DAYS = 90

/** The longest text that a key is searched by is that of a user agent. */
export const MAX_KEY_SEARCH = MAX_USER_AGENT_LENGTH
const SECRET_PREFIX = 'emp_'
const FEW_CHARACTERS = 3

/** A key can be in several of them: a paused one may be about to expire. */
export type ApiKeyState = 'ACTIVE' | 'PAUSED' | 'EXPIRING' | 'EXPIRED' | 'UNUSED'

export const LISTED_COLUMNS = [
  'id',
  'label',
  'prefix',
  'createdAt',
  'createdByName',
  'lastUsedAt',
  'lastUsedIp',
  'lastUsedUserAgent',
  'lastUsedOperation',
  'expiresAt',
  'pausedUntil',
  'rules',
] as const satisfies (keyof ApiKey)[]

export type ListedKey = Pick<ApiKey, (typeof LISTED_COLUMNS)[number]>

type KeyTimes = Pick<ListedKey, 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'pausedUntil'>

/** What each state means, for lists and numbers alike. Active is what has not expired: a paused key can be resumed. */
export const IS: Record<ApiKeyState, (key: KeyTimes, now: number) => boolean> = {
  ACTIVE: (key, now) => !isExpired(key, now),
  PAUSED: (key, now) => !isExpired(key, now) && isPaused(key, now),
  EXPIRING: isExpiring,
  EXPIRED: (key, now) => isExpired(key, now),
  UNUSED: (key, now) => !isExpired(key, now) && (key.lastUsedAt ?? key.createdAt) < now - UNUSED_DAYS * DAY,
}

interface Wanted {
  search?: string | null | undefined
  state?: ApiKeyState | null | undefined
  access?: ApiKeyAccess | null | undefined
}

/** Whether a key is wanted; undefined: all of them are. Throws if the search is not a text to search for. */
export function matcherOf({ search, state, access }: Wanted, now: number): ((key: ListedKey) => boolean) | undefined {
  const text = checkSearch('search', search, { max: MAX_KEY_SEARCH })
  const conditions = [
    ...(text === '' ? [] : [(key: ListedKey) => isFound(key, text)]),
    ...(state == null ? [] : [(key: ListedKey) => IS[state](key, now)]),
    ...(access == null ? [] : [({ rules }: ListedKey) => keyRules(rules).access === access]),
  ]
  return conditions.length === 0 ? undefined : (key) => conditions.every((holds) => holds(key))
}

/** A prefix is found by its beginning, with or without what all secrets begin with; few characters are in many of them, and in many last calls. */
function isFound({ label, prefix, createdByName, ...last }: ListedKey, text: string): boolean {
  if (sortKey(label).includes(text) || sortKey(createdByName).includes(text)) return true
  if (text.length < FEW_CHARACTERS) return false
  const sent = [last.lastUsedIp, last.lastUsedUserAgent, last.lastUsedOperation] // long, and rarely in another than this form
  if (sent.some((value) => value?.toLowerCase().includes(text))) return true
  const own = text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : text
  return own.length >= FEW_CHARACTERS && sortKey(prefix.slice(SECRET_PREFIX.length)).startsWith(own)
}
