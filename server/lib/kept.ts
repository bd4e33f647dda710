export interface Kept<Value> {
  get(key: string): Value | undefined
  /** Puts it in, and gives it back; when there are too many, or too heavy ones, some that were not asked for lately go. */
  add(key: string, value: Value, weight?: number): Value
}

/**
 * Keeps a bounded number of things by name, which weigh a bounded amount together. Each has a second chance: whatever was asked for since the last look stays.
 * To find one costs no more than a look into a map, which keeping them in order of use would.
 */
export function createKept<Value>(most: number, mostWeight = Number.POSITIVE_INFINITY): Kept<Value> {
  const all = new Map<string, { value: Value; weight: number; wasUsed: boolean }>()
  let weightOfAll = 0

  function forget(key: string): void {
    weightOfAll -= all.get(key)?.weight ?? 0
    all.delete(key)
  }

  function makeRoomFor(weight: number): void {
    for (const [key, entry] of all) {
      if (all.size < most && weightOfAll + weight <= mostWeight) return
      forget(key)
      if (!entry.wasUsed) continue
      all.set(key, { ...entry, wasUsed: false }) // behind all others, where the loop comes by once more if each was used
      weightOfAll += entry.weight
    }
  }

  return {
    get(key) {
      const entry = all.get(key)
      if (entry) entry.wasUsed = true
      return entry?.value
    },
    add(key, value, weight = 1) {
      forget(key)
      makeRoomFor(weight)
      all.set(key, { value, weight, wasUsed: false })
      weightOfAll += weight
      return value
    },
  }
}
