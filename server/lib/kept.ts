export interface Kept<Value> {
  get(key: string): Value | undefined
  /** Puts it in, and gives it back; when there are too many, one that was not asked for lately goes. */
  add(key: string, value: Value): Value
}

/**
 * Keeps a bounded number of things by name. Each has a second chance: whatever was asked for since the last look stays.
 * To find one costs no more than a look into a map, which keeping them in order of use would.
 */
export function createKept<Value>(most: number): Kept<Value> {
  const all = new Map<string, { value: Value; wasUsed: boolean }>()

  function makeRoom(): void {
    for (const [key, entry] of all) {
      all.delete(key)
      if (!entry.wasUsed) return
      entry.wasUsed = false
      all.set(key, entry) // behind all others, where the loop comes by once more if each was used
    }
  }

  return {
    get(key) {
      const entry = all.get(key)
      if (entry) entry.wasUsed = true
      return entry?.value
    },
    add(key, value) {
      if (all.size >= most) makeRoom()
      all.set(key, { value, wasUsed: false })
      return value
    },
  }
}
