import { removeExpiredKeys } from './api-keys/ends.ts'
import { announceEnds } from './api-keys/ends-announced.ts'
import { compactUsage } from './api-keys/usage-days.ts'
import { originOf } from './config.ts'
import type { Deps } from './deps.ts'
import { SECOND } from './lib/clock.ts'
import { Failure } from './lib/failure.ts'
import { upTo } from './lib/random.ts'
import { within } from './lib/within.ts'
import { deleteOldMail } from './mail/outbox.ts'

export const CHORES_EVERY_MS = 30 * SECOND
const GIVE_OR_TAKE = 1 / 6 // so that replicas that were started together do not stay together
const CLOSE_WITHIN_MS = 5 * SECOND

/** All that is done now and then, in this order. Each is right however many processes do it at once, and when killed. */
const CHORES: Record<string, (deps: Deps, now: number) => Promise<void>> = {
  'warnings of ending keys': ({ database, config }, now) => announceEnds(database, now, originOf(config)),
  'removal of ended keys': ({ database }, now) => removeExpiredKeys(database, now),
  'days of usage': ({ database }, now) => compactUsage(database, now),
  'deletion of old letters': ({ database }, now) => deleteOldMail(database, now),
}

/** Does every chore once. One that fails is told in the log and tried again the next time; the others are done all the same. */
export async function doChores(deps: Deps): Promise<void> {
  for (const [chore, work] of Object.entries(CHORES)) {
    try {
      await work(deps, deps.now())
    } catch (error) {
      const isDatabaseAway = error instanceof Failure && error.code === 'UNAVAILABLE'
      deps.log[isDatabaseAway ? 'warn' : 'error']({ err: error, chore }, 'a chore failed; it will be tried again')
    }
  }
}

/** Does the chores every half a minute, one round at a time, until it is closed. */
export function startChores(deps: Deps): { close(): Promise<void> } {
  const { choresEveryMs: everyMs = CHORES_EVERY_MS } = deps
  let timer: NodeJS.Timeout | undefined
  let underWay = Promise.resolve()
  let isClosed = false

  function wait(): void {
    const ms = everyMs * (1 - GIVE_OR_TAKE) + upTo(everyMs * 2 * GIVE_OR_TAKE)
    timer = setTimeout(() => {
      underWay = doChores(deps).then(() => {
        if (!isClosed) wait()
      })
    }, ms).unref()
  }

  wait()
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      const late = () => new Error('The chores took too long.')
      await within(CLOSE_WITHIN_MS, underWay, late).catch((error) =>
        deps.log.warn({ err: error }, 'chores are cut off'),
      )
    },
  }
}
