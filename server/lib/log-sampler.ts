import { SECOND } from './clock.ts'

const MOST_KEPT = 10_000

/**
 * For messages that must not fill the disk, however often they occur: one of each kind is logged every second, with the
 * number of others since the last; undefined means that this one is for the debug level only.
 */
export function createLogSampler(now: () => number = () => performance.now()): (kind: string) => number | undefined {
  const told = new Map<string, { at: number; since: number }>()
  return (kind) => {
    const last = told.get(kind)
    if (last && now() - last.at < SECOND) {
      last.since++
      return undefined
    }
    if (told.size >= MOST_KEPT) told.clear()
    told.set(kind, { at: now(), since: 0 })
    return last?.since ?? 0
  }
}
