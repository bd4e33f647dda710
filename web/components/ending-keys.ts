import type { KeyWarning } from '../api/key-warnings.ts'
import { daysLeftInWords } from '../ui/days-left.ts'

/** Which notice was put away last, for each key: that of 30, 7 or 1 days. */
type Dismissed = Record<string, number>

const THRESHOLDS = [1, 7, 30]

const thresholdOf = (daysLeft: number) => THRESHOLDS.find((days) => daysLeft <= days) ?? 30

/** The keys whose notice was not put away, or has come nearer since. */
export const notDismissed = (warnings: readonly KeyWarning[], put: Dismissed): KeyWarning[] =>
  warnings.filter(({ apiKey, daysLeft }) => thresholdOf(daysLeft) < (put[apiKey.id] ?? Number.POSITIVE_INFINITY))

/** Puts away what is shown now. Keys that are gone are forgotten. */
export function dismiss(organizationId: string, warnings: readonly KeyWarning[]): Dismissed {
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

const placeOf = (organizationId: string) => `portal-ending-keys ${organizationId}`

/** "2 API keys end soon: nightly-export in 6 days". The first is the one that ends first. */
export function warningInWords(warnings: readonly KeyWarning[]): string {
  const [first] = warnings
  if (!first) return ''
  const count = warnings.length === 1 ? '1 API key ends soon' : `${warnings.length} API keys end soon`
  return `${count}: ${first.apiKey.label} ${daysLeftInWords(first.daysLeft)}`
}
