export const DAY_MS = 86_400_000
const SOON_MS = 30 * DAY_MS

/** Whether a key was used within a day: something would notice that it is gone. */
export const wasUsedRecently = ({ lastUsedAt }: { lastUsedAt: string | null }) =>
  lastUsedAt !== null && Date.parse(lastUsedAt) > Date.now() - DAY_MS

/** Whether something depends on a key: it is refused since it expired, whenever it was used. */
export const isInUse = (key: { lastUsedAt: string | null; expired?: boolean }, recentCalls = 0) =>
  !key.expired && (wasUsedRecently(key) || recentCalls > 0)

/** Whether a key expires within 30 days, and within the last fifth of its lifetime: the first warning of it is sent then. */
export function expiresSoon({ createdAt, expiresAt }: { createdAt: string; expiresAt: string | null }): boolean {
  if (expiresAt === null) return false
  const ends = Date.parse(expiresAt)
  return ends - Date.now() <= Math.min(SOON_MS, (ends - Date.parse(createdAt)) / 5)
}

/** "1 key", "2 keys". */
export const countKeys = (count: number) => (count === 1 ? '1 key' : `${count.toLocaleString()} keys`)

export const countActiveKeys = (count: number) => (count === 0 ? 'No active keys' : `${countKeys(count)} active`)

/** What switching off leaves as it is (C1). */
export function staysActive(count: number): string {
  if (count === 0) return 'There are no active keys.'
  return count === 1
    ? '1 key stays active and keeps working until it is revoked.'
    : `${countKeys(count)} stay active and keep working until they are revoked.`
}
