import { CloseButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type ExpiringKey, expiringKeysQuery } from '../api/api-keys.ts'
import { type CanaryKey, canaryKeysQuery } from '../api/leaks.ts'
import { every } from '../api/polling.ts'
import type { Viewer } from '../api/viewer.ts'
import { keysOf, paths } from '../paths.ts'
import { daysLeftInWords } from '../ui/relative-time.ts'
import styles from './KeyNotices.module.css'

interface KeyNoticesProps {
  organization: Viewer['organization']
}

const DELAY_MS = 1_500

/** What an Admin should know about the keys, on every page. It is asked for after the page, so that nothing waits for it. */
export function KeyNotices({ organization }: KeyNoticesProps) {
  const [isDue, setIsDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsDue(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return isDue && <KeyNotice organization={organization} />
}

/** One at a time: an alarm comes first. */
function KeyNotice({ organization }: KeyNoticesProps) {
  const alarm = useCanaryNotice(organization)
  const expiry = useExpiryNotice(organization)
  const notice = alarm ?? expiry
  if (!notice) return null
  const { label, words, link, dismiss } = notice
  return (
    <aside aria-label={label} className={styles['notice']} data-alarm={notice === alarm || undefined}>
      <div role="status">
        <Link {...link} className={styles['words']}>
          {words}
        </Link>
      </div>
      <CloseButton aria-label="Dismiss" onClick={dismiss} />
    </aside>
  )
}

/** The notice of keys that expire soon. Once dismissed, it comes back 7 days and 1 day before they expire. */
function useExpiryNotice(organization: Viewer['organization']) {
  const { data: warnings = [] } = useQuery(expiringKeysQuery(organization.slug))
  const [put, setPut] = useState(() => dismissed(organization.id))
  const shown = notDismissed(warnings, put)
  if (shown.length === 0) return undefined
  return {
    label: 'API keys that expire soon',
    words: warningInWords(shown),
    link: { to: keysOf(organization) },
    dismiss: () => setPut(dismiss(organization.id, warnings)),
  }
}

/** Which notice was dismissed last for each key: that of 30, 7 or 1 days. */
type Dismissed = Record<string, number>

const THRESHOLDS = [1, 7, 30]

const thresholdOf = (daysLeft: number) => THRESHOLDS.find((days) => daysLeft <= days) ?? 30

/** The keys whose notice was not dismissed, or that have passed another threshold since. */
const notDismissed = (warnings: readonly ExpiringKey[], put: Dismissed): ExpiringKey[] =>
  warnings.filter(({ apiKey, daysLeft }) => thresholdOf(daysLeft) < (put[apiKey.id] ?? Number.POSITIVE_INFINITY))

/** Dismisses what is shown now. Keys that no longer exist are dropped. */
function dismiss(organizationId: string, warnings: readonly ExpiringKey[]): Dismissed {
  const put = Object.fromEntries(warnings.map(({ apiKey, daysLeft }) => [apiKey.id, thresholdOf(daysLeft)]))
  try {
    localStorage.setItem(placeOf(organizationId), JSON.stringify(put))
  } catch {
    // A browser that stores nothing shows it again after a reload.
  }
  return put
}

function dismissed(organizationId: string): Dismissed {
  try {
    const put: unknown = JSON.parse(localStorage.getItem(placeOf(organizationId)) ?? '{}')
    return put !== null && typeof put === 'object' ? (put as Dismissed) : {} // as written above; a wrong one hides nothing for good
  } catch {
    return {}
  }
}

const placeOf = (organizationId: string) => `portal-expiring-keys ${organizationId}`

/** "2 API keys expire soon: nightly-export in 6 days". The first is the one that expires first. */
function warningInWords(warnings: readonly ExpiringKey[]): string {
  const [first] = warnings
  if (!first) return ''
  const count = warnings.length === 1 ? '1 API key expires soon' : `${warnings.length} API keys expire soon`
  return `${count}: ${first.apiKey.label} ${daysLeftInWords(first.daysLeft)}`
}

const REFRESH_MS = 60_000

/** The alarm about canary keys that somebody has found and tried. Once dismissed, it comes back with the next call. */
function useCanaryNotice(organization: Viewer['organization']) {
  const { id, slug, apiKeysEnabled } = organization
  const { data: canaries = [] } = useQuery({ ...canaryKeysQuery(slug), refetchInterval: every(REFRESH_MS) })
  const [seen, setSeen] = useState(() => dismissedAlarm(id))
  const used = usedSince(canaries, seen)
  if (used.length === 0) return undefined
  return {
    label: 'Canary keys that were used',
    words: alarmInWords(used),
    link: apiKeysEnabled
      ? { to: keysOf(organization), state: { showsCanaries: true as const } }
      : { to: paths.audit(slug) }, // the panel is not there
    dismiss: () => setSeen(dismissAlarm(id, used)),
  }
}

/** An older call is old news for somebody with a new browser. */
const DAYS = 30
const DAY_MS = 86_400_000

const usedAt = ({ lastUsedAt }: CanaryKey) => (lastUsedAt === null ? 0 : Date.parse(lastUsedAt))

/** Canary keys with a call after this time, the last one first. */
const usedSince = (canaries: readonly CanaryKey[], seen: number): CanaryKey[] =>
  canaries
    .filter((canary) => usedAt(canary) > Math.max(seen, Date.now() - DAYS * DAY_MS))
    .sort((a, b) => usedAt(b) - usedAt(a))

/** "A canary key was used: backup of the build server, from 203.0.113.9". */
function alarmInWords(used: readonly CanaryKey[]): string {
  const [last] = used
  const count = used.length === 1 ? 'A canary key was used' : `${used.length} canary keys were used, the last one`
  return `${count}: ${last?.label}, from ${last?.lastUsedIp}`
}

/** Until when somebody has seen the calls: those that are shown now, or 0. */
function dismissAlarm(organizationId: string, used: readonly CanaryKey[]): number {
  const seen = Math.max(...used.map(usedAt))
  try {
    localStorage.setItem(alarmPlaceOf(organizationId), String(seen))
  } catch {
    // A browser that stores nothing shows it again after a reload.
  }
  return seen
}

function dismissedAlarm(organizationId: string): number {
  try {
    return Number(localStorage.getItem(alarmPlaceOf(organizationId))) || 0
  } catch {
    return 0
  }
}

const alarmPlaceOf = (organizationId: string) => `portal-used-canaries ${organizationId}`
