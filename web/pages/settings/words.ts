const plural = new Intl.PluralRules('en')

/** "1 key", "2 keys". */
export const keys = (count: number) => `${count.toLocaleString()} ${plural.select(count) === 'one' ? 'key' : 'keys'}`

export const activeKeys = (count: number) => (count === 0 ? 'No active keys' : `${keys(count)} active`)

/** What switching off leaves as it is (C1). */
export function staysActive(count: number): string {
  if (count === 0) return 'There is no active key.'
  return count === 1
    ? '1 key stays active and keeps working until it is revoked.'
    : `${keys(count)} stay active and keep working until they are revoked.`
}
