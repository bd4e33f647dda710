/**
 * Whether a version of SQLite is free of the WAL-reset bug, by which 3.7.0 to 3.51.2 can lose a committed transaction when two
 * connections write and checkpoint at the same instant. It was fixed in 3.51.3 and in 3.50.7.
 * @param {string | undefined} version
 */
export function isSafeSqlite(version) {
  const [, ...parts] = /^(\d+)\.(\d+)(?:\.(\d+))?$/.exec(version ?? '') ?? []
  const [major = 0, minor = 0, patch = 0] = parts.map((part) => Number(part ?? 0))
  if (major !== 3) return major > 3
  if (minor === 50) return patch >= 7
  return minor > 51 || (minor === 51 && patch >= 3)
}
