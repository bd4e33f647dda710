import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { ParentCounts } from '../../../server/lib/limiter.ts'

/** The counts of a parent for workers in this process. It can be made to answer nobody. */
export function inProcessParent(workers: number) {
  const counters = new Map<string, RateLimiterMemory>()
  const counts = { asked: 0, silences: 0 }
  let isSilent = false

  /** As between processes: not at once. */
  async function answer(): Promise<void> {
    counts.asked++
    await new Promise((resolve) => setImmediate(resolve))
    if (isSilent) throw new Error('no answer in time')
  }

  class Counter extends RateLimiterMemory {
    override penalty: RateLimiterMemory['penalty'] = async (...args) => {
      await answer()
      return super.penalty(...args)
    }
    override delete: RateLimiterMemory['delete'] = async (...args) => {
      await answer()
      return super.delete(...args)
    }
  }

  const parentCounts: ParentCounts = {
    workers,
    counterOf(options) {
      const counter = counters.get(options.keyPrefix) ?? new Counter(options)
      counters.set(options.keyPrefix, counter)
      return counter
    },
    noteSilence: () => void counts.silences++,
    isSilent: () => counts.silences > 0,
  }
  return {
    counts,
    parentCounts,
    /** From now on. */
    fallSilent() {
      isSilent = true
    },
  }
}
