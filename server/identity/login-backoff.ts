import { type Clock, DAY, MINUTE, SECOND } from '../lib/clock.ts'
import { LIMITS } from '../limits.ts'

/** The maximum number of entries that may try now, and of those that have to wait. */
const MAX_ENTRIES = 50_000

/** How the next attempt is slowed down. */
export interface BackoffRule {
  /** The wait after the first attempt, the second and so on. */
  waitsMs: readonly number[]
  /** In this time one attempt is forgiven; absent: none is, until all expire after a day without one. */
  oneForgivenEveryMs?: number | undefined
}

const seconds = (...list: number[]) => list.map((each) => each * SECOND)
const free = (tries: number) => Array<number>(tries - 1).fill(0)

/** At one account from one source: five are free, then a second doubles to a quarter of an hour. */
export const OF_ACCOUNT: BackoffRule = {
  waitsMs: [...free(LIMITS.sign_in_account), ...seconds(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900)],
}
/** From one source at any accounts: 50, then a second doubles to a minute, and one more every minute. */
export const OF_SOURCE: BackoffRule = {
  waitsMs: [...free(LIMITS.sign_in_source), ...seconds(1, 2, 4, 8, 16, 32, 60)],
  oneForgivenEveryMs: MINUTE,
}
/** New accounts from one source: 20, then one every three minutes. */
export const SIGN_UPS: BackoffRule = {
  waitsMs: [...free(LIMITS.sign_ups), 3 * MINUTE],
  oneForgivenEveryMs: 3 * MINUTE,
}
export const FORGOTTEN_AFTER_MS = DAY

/** Counts attempts by key. */
export interface LoginBackoff {
  /** Counts an attempt and returns 0, or does not count it and returns how many milliseconds it comes too early. */
  count(who: string): Promise<number>
  /** Takes back one attempt that was neither right nor wrong. */
  giveBack(who: string): Promise<void>
  forget(who: string): Promise<void>
}

interface Attempts {
  /** A fraction where part of it is forgiven. */
  failed: number
  lastAt: number
  notBefore: number
}

/**
 * The attempts that one process has seen. Written by hand, since rate-limiter-flexible has neither growing waits nor a
 * clock to inject.
 */
export function createMemoryBackoff(
  now: Clock,
  { waitsMs, oneForgivenEveryMs = Number.POSITIVE_INFINITY }: BackoffRule,
): LoginBackoff {
  const unslowed = new Map<string, Attempts>()
  const slowed = new Map<string, Attempts>() // separate, so that first attempts never evict these

  const find = (who: string) => slowed.get(who) ?? unslowed.get(who)

  /** Where the clock was set back since, the wait begins now, and is no longer than it should be. */
  function findAt(who: string, at: number): Attempts | undefined {
    const found = find(who)
    if (found && at < found.lastAt) put(who, found.failed, at)
    return find(who)
  }

  function put(who: string, failed: number, lastAt: number): void {
    unslowed.delete(who) // set again, so that the least recently used comes first
    slowed.delete(who)
    if (failed <= 0) return
    const waitMs = waitAfter(failed, waitsMs)
    const entries = waitMs > 0 ? slowed : unslowed
    entries.set(who, { failed, lastAt, notBefore: lastAt + waitMs })
    if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value ?? '')
  }

  return {
    async count(who) {
      const at = now()
      const before = findAt(who, at)
      const recent = before !== undefined && at - before.lastAt < FORGOTTEN_AFTER_MS
      if (recent && at < before.notBefore) return before.notBefore - at
      const left = recent ? Math.max(0, before.failed - (at - before.lastAt) / oneForgivenEveryMs) : 0
      put(who, left + 1, at)
      return 0
    },
    async giveBack(who) {
      const tried = find(who)
      if (tried) put(who, tried.failed - 1, tried.lastAt)
    },
    async forget(who) {
      put(who, 0, 0)
    },
  }
}

const waitAfter = (failed: number, waitsMs: readonly number[]) =>
  waitsMs[Math.min(Math.ceil(failed), waitsMs.length) - 1] ?? 0
