import type { AppError } from '../lib/app-error.ts'
import { type Clock, SECOND } from '../lib/clock.ts'
import { SweptMap } from '../lib/leases/swept-map.ts'
import { noteLimitRefusal, rateLimitError } from '../limits.ts'
import { prepareAnswer } from './error-response.ts'

interface SpentSources {
  /** The source has nothing left until then. */
  note(source: string, msBeforeNext: number): void
  /** The error for one more refused key of a source without any left; undefined: it may have some. */
  errorOf(source: string): AppError | undefined
}

/**
 * Sources that have used up their refused keys, until these are counted anew. Whoever goes on costs neither a count nor a
 * promise, and gets an error whose answer is prepared.
 */
export function createSpentSources(now: Clock, windowSeconds: number): SpentSources {
  const ends = new SweptMap<number>((end) => secondsUntil(end) === undefined)
  /** By the seconds until a source may try again, all at once: then they do not look like a leak. */
  let errors: AppError[] | undefined

  /** Undefined: that is over, or the clock was set back. */
  function secondsUntil(end: number): number | undefined {
    const ms = end - now()
    return ms > 0 && ms <= windowSeconds * SECOND ? Math.ceil(ms / SECOND) : undefined
  }

  function prepared(seconds: number): AppError {
    const error = rateLimitError('refused_keys', seconds)
    prepareAnswer(error)
    return error
  }

  return {
    note: (source, msBeforeNext) => void ends.add(source, now() + msBeforeNext),
    errorOf(source) {
      const end = ends.get(source)
      const seconds = end === undefined ? undefined : secondsUntil(end)
      if (seconds === undefined) return undefined
      errors ??= Array.from({ length: windowSeconds + 1 }, (_, each) => prepared(each))
      noteLimitRefusal('refused_keys')
      return errors[seconds]
    },
  }
}
