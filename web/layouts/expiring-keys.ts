import type { ExpiringKey } from '../api/expiring-keys.ts'
import { daysLeftInWords } from '../ui/days-left.ts'

/** Which notice was dismissed last for each key: that of 30, 7 or 1 days. */
type Dismissed = Record<string, number>

const THRESHOLDS = [1, 7, 30]

const thresholdOf = (daysLeft: number) => THRESHOLDS.find((days) => daysLeft <= days) ?? 30

/** The keys whose notice was not dismissed, or that have passed another threshold since. */
export const notDismissed = (warnings: readonly ExpiringKey[], put: Dismissed): ExpiringKey[] =>
  warnings.filter(({ apiKey, daysLeft }) => thresholdOf(daysLeft) < (put[apiKey.id] ?? Number.POSITIVE_INFINITY))

/** Dismisses what is shown now. Keys that no longer exist are dropped. */
export function dismiss(organizationId: string, warnings: readonly ExpiringKey[]): Dismissed {
  const put = Object.fromEntries(warnings.map(({ apiKey, daysLeft }) => [apiKey.id, thresholdOf(daysLeft)]))
  try {
    localStorage.setItem(placeOf(organizationId), JSON.stringify(put))
  } catch {
    // A browser that stores nothing shows it again after a reload.
  }
  return put
}

export function dismissed(organizationId: string): Dismissed {
  try {
    const put: unknown = JSON.parse(localStorage.getItem(placeOf(organizationId)) ?? '{}')
    return put !== null && typeof put === 'object' ? (put as Dismissed) : {} // as written above; a wrong one hides nothing for good
  } catch {
    return {}
  }
}

const placeOf = (organizationId: string) => `portal-expiring-keys ${organizationId}`

/** "2 API keys expire soon: nightly-export in 6 days". The first is the one that expires first. */
export function warningInWords(warnings: readonly ExpiringKey[]): string {
  const [first] = warnings
  if (!first) return ''
  const count = warnings.length === 1 ? '1 API key expires soon' : `${warnings.length} API keys expire soon`
  return `${count}: ${first.apiKey.label} ${daysLeftInWords(first.daysLeft)}`
}
