import { SECOND } from './clock.ts'

const MAX_KINDS = 10_000

/** One of each kind is logged every second, with the number of others since; undefined: this one is for the debug level only. */
export function createLogSampler(now: () => number = () => performance.now()): (kind: string) => number | undefined {
  const logged = new Map<string, { at: number; since: number }>()
  return (kind) => {
    const last = logged.get(kind)
    if (last && now() - last.at < SECOND) {
      last.since++
      return undefined
    }
    if (logged.size >= MAX_KINDS) logged.clear()
    logged.set(kind, { at: now(), since: 0 })
    return last?.since ?? 0
  }
}
