import { ApiError } from '../../api/client.ts'
import type { KeyPolicy } from '../../api/policy.ts'
import { DAY_MS } from '../../components/key-activity.ts'

const NO_EXPIRATION = ''
export const CUSTOM_DATE = 'custom'
const LATEST_DATE = '9999-12-31'
/** A clock that runs ahead must not turn the longest preset into one that the policy refuses. */
const CLOCK_SKEW_MS = 300_000

const PRESETS = [
  { days: 7, label: '7 days' },
  { days: 30, label: '30 days' },
  { days: 90, label: '90 days' },
  { days: 365, label: '1 year' },
]

export type ExpirationPolicy = Pick<KeyPolicy, 'maxLifetimeDays' | 'expiryRequired'>

export const NO_POLICY: ExpirationPolicy = { maxLifetimeDays: null, expiryRequired: false }

/** What can be chosen under the policy; the first is the default, which is no expiration where that is allowed (K7). */
export function expirationChoices({ maxLifetimeDays, expiryRequired }: ExpirationPolicy) {
  const isAllowed = ({ days }: { days: number }) => maxLifetimeDays === null || days <= maxLifetimeDays
  return [
    ...(expiryRequired || maxLifetimeDays !== null ? [] : [{ value: NO_EXPIRATION, label: 'No expiration' }]),
    ...PRESETS.filter(isAllowed).map(({ days, label }) => ({ value: String(days), label })),
    { value: CUSTOM_DATE, label: 'Custom date' },
  ]
}

/** The last date that the policy allows, in any time zone. */
export function lastDateOf({ maxLifetimeDays }: ExpirationPolicy): string {
  if (maxLifetimeDays === null) return LATEST_DATE
  return new Date(Date.now() + (maxLifetimeDays - 1) * DAY_MS).toISOString().slice(0, 10)
}

/** So many days from now; none for no expiration. */
export function inDays(days: string, { maxLifetimeDays }: ExpirationPolicy): string | null {
  if (days === NO_EXPIRATION) return null
  const skew = Number(days) === maxLifetimeDays ? CLOCK_SKEW_MS : 0
  return new Date(Date.now() + Number(days) * DAY_MS - skew).toISOString()
}

/** The end of that day in the reader's time zone. */
export function endOfDay(date: string | undefined): string {
  const end = new Date(`${date}T23:59:59.999`)
  if (Number.isNaN(end.getTime())) throw atExpiration('Enter a date.')
  if (end.getTime() <= Date.now()) throw atExpiration('Choose a date in the future.')
  return end.toISOString()
}

const atExpiration = (message: string) => new ApiError(message, { code: 'BAD_USER_INPUT', field: 'expiresAt' })
