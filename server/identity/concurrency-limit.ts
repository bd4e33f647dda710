import { AppError } from '../lib/app-error.ts'
import { FairQueue } from '../lib/fair-queue.ts'
import { noteLimitRefusal, rateLimited } from '../limits.ts'

interface Limits {
  atOnce: number
  /** Of all sources together, and of one: how many may wait. */
  maxWaiting: number
  maxWaitingOfSource: number
}

type RunLimited = <Result>(source: string, work: () => Promise<Result>) => Promise<Result>

/**
 * Runs a few pieces of work at once. The others wait, and their sources take turns: however many wait from one source,
 * somebody from another one waits for one piece of work of each.
 */
export function createConcurrencyLimit({ atOnce, maxWaiting, maxWaitingOfSource }: Limits): RunLimited {
  const limits = { atOnce, atOnceOfGroup: atOnce, maxWaiting, maxWaitingOfGroup: maxWaitingOfSource }
  const queue = new FairQueue(limits, refusal)
  return (source, work) => queue.run(source, work)
}

function refusal(isSourceFull: boolean): AppError {
  if (isSourceFull) {
    const message = 'Too many passwords at once from your network: try again in a second.'
    return rateLimited('passwords_of_source', 1, message)
  }
  noteLimitRefusal('passwords')
  return new AppError('UNAVAILABLE', { retryAfterSeconds: 1 })
}
