import type { CanaryKey } from '../api/canary-keys.ts'

/** An older call is old news for somebody with a new browser. */
const DAYS = 30
const DAY_MS = 86_400_000

const usedAt = ({ lastUsedAt }: CanaryKey) => (lastUsedAt === null ? 0 : Date.parse(lastUsedAt))

/** Those with a call after this time, the last one first. */
export const usedSince = (canaries: readonly CanaryKey[], seen: number): CanaryKey[] =>
  canaries
    .filter((canary) => usedAt(canary) > Math.max(seen, Date.now() - DAYS * DAY_MS))
    .sort((a, b) => usedAt(b) - usedAt(a))

/** "A canary key was used: backup of the build server, from 203.0.113.9". */
export function alarmInWords(used: readonly CanaryKey[]): string {
  const [last] = used
  const count = used.length === 1 ? 'A canary key was used' : `${used.length} canary keys were used, the last one`
  return `${count}: ${last?.label}, from ${last?.lastUsedIp}`
}

/** Until when somebody has seen the calls: those that are shown now, or 0. */
export function dismissAlarm(organizationId: string, used: readonly CanaryKey[]): number {
  const seen = Math.max(...used.map(usedAt))
  try {
    localStorage.setItem(placeOf(organizationId), String(seen))
  } catch {
    // A browser that stores nothing shows it again after a reload.
  }
  return seen
}

export function dismissedAlarm(organizationId: string): number {
  try {
    return Number(localStorage.getItem(placeOf(organizationId))) || 0
  } catch {
    return 0
  }
}

const placeOf = (organizationId: string) => `portal-used-canaries ${organizationId}`
