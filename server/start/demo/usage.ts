import { createUsageCounter, type UsageCounter } from '../../api-keys/usage/counter.ts'
import { writeUsage } from '../../api-keys/usage/write.ts'
import type { Ctx } from '../../ctx.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'

const DAYS = 30
/** The counter holds some hours at most. */
const WRITE_EVERY = 8

/** What uses a key of the demo, and how often. */
export interface DemoCaller {
  keyId: string
  from: string
  agent: string
  operation: string
  rootFields: readonly string[]
  hours: (at: Date, random: number) => { calls: number; errors: number }
}

/**
 * A month of calls, counted and written as the calls of requests are. Days that are over count as one hour: they are
 * added up anyway.
 */
export async function addDemoUsage({ database, now }: Ctx, callers: readonly DemoCaller[]): Promise<void> {
  const usage = createUsageCounter((uses, options) => writeUsage(database, uses, options), createLog('silent'))
  const until = now() - (now() % HOUR)
  const recent = until - (until % DAY) - 2 * DAY
  let hours = 0
  for (let day = recent - (DAYS - 3) * DAY; day < recent; day += DAY) {
    for (let hour = 0; hour < DAY; hour += HOUR) count(usage, callers, { at: day + DAY / 2, like: day + hour })
    if (++hours % WRITE_EVERY === 0) await usage.flush()
  }
  for (let hour = recent; hour < until; hour += HOUR) {
    count(usage, callers, { at: hour, like: hour })
    if (++hours % WRITE_EVERY === 0) await usage.flush()
  }
  await usage.close()
}

function count(usage: UsageCounter, callers: readonly DemoCaller[], { at, like }: { at: number; like: number }): void {
  for (const [index, { keyId, from, agent, operation, rootFields, hours }] of callers.entries()) {
    const { calls, errors } = hours(new Date(like), random(like / HOUR + index * 7919))
    for (let i = 0; i < calls; i++) usage.noteOperation(usage.noteCall(keyId, at, from, agent), operation, rootFields)
    for (let i = 0; i < errors; i++) usage.noteRefusal(keyId, at)
  }
}

/** The same for the same number: 0 to 1. */
function random(seed: number): number {
  const x = Math.sin(seed) * 10_000
  return x - Math.floor(x)
}
