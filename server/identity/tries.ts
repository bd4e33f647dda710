import { type Clock, DAY, SECOND } from '../lib/clock.ts'

const MAX_KEPT = 50_000

/** How long to wait after the first wrong try, the second and so on: five are free, then a second doubles to a quarter of an hour. */
export const WAITS_MS = [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900].map((seconds) => seconds * SECOND)
export const FORGOTTEN_AFTER_MS = DAY

/** Wrong tries at something, told apart by who makes them. */
export interface Tries {
  /** Counts a try and gives 0, or does not count it and gives how many milliseconds it comes too early. */
  count(who: string): Promise<number>
  /** Takes back one try that was neither right nor wrong. */
  giveBack(who: string): Promise<void>
  forget(who: string): Promise<void>
}

/** The tries that one process has seen. Our own, since rate-limiter-flexible knows neither growing waits nor our clock. */
export function createOwnTries(now: Clock, waitsMs: readonly number[] = WAITS_MS): Tries {
  const kept = new Map<string, { failed: number; lastAt: number; notBefore: number }>()

  return {
    async count(who) {
      const at = now()
      const before = kept.get(who)
      const recent = before !== undefined && at - before.lastAt < FORGOTTEN_AFTER_MS
      if (recent && at < before.notBefore) return before.notBefore - at
      const failed = (recent ? before.failed : 0) + 1
      kept.delete(who) // and set again: the longest untouched stands first
      kept.set(who, { failed, lastAt: at, notBefore: at + waitAfter(failed, waitsMs) })
      if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
      return 0
    },
    async giveBack(who) {
      const tries = kept.get(who)
      if (tries) tries.failed--
    },
    async forget(who) {
      kept.delete(who)
    },
  }
}

const waitAfter = (failed: number, waitsMs: readonly number[]) => waitsMs[Math.min(failed, waitsMs.length) - 1] ?? 0
