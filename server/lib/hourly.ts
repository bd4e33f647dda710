import { HOUR } from './clock.ts'

/** What is new for an id in this hour; at most so many things are, of at most so many ids. */
export function createHourly({ most, mostIds = Number.POSITIVE_INFINITY }: { most: number; mostIds?: number }) {
  let hour = 0
  let seen = new Map<string, Set<string>>()
  return {
    isNew(id: string, what: string, now: number): boolean {
      if (now - (now % HOUR) !== hour) {
        hour = now - (now % HOUR)
        seen = new Map()
      }
      const all = seen.get(id) ?? new Set()
      if (all.has(what) || all.size >= most || seen.size >= mostIds) return false
      seen.set(id, all.add(what))
      return true
    },
    forget: (id: string) => void seen.delete(id),
  }
}
