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
