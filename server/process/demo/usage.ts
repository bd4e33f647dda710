import { type CallLog, createCallLog } from '../../api-keys/calls/call-log.ts'
import { CALLS_STORED_MS } from '../../api-keys/calls/read-calls.ts'
import { writeCalls } from '../../api-keys/calls/write-calls.ts'
import { createUsageCounter, type UsageCounter } from '../../api-keys/usage/counter.ts'
import { writeUsage } from '../../api-keys/usage/write-usage.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'

const DAYS = 30
/** The counter holds some hours at most. */
const WRITE_EVERY = 8
const OVER_LIMIT = { status: 429, code: 'RATE_LIMITED' }

export interface DemoCaller {
  keyId: string
  from: string
  agent: string
  operation: string
  rootFields: readonly string[]
  refusal?: { status: number; code: string }
  hours: (at: Date, random: number) => { calls: number; errors: number }
}

/** A month of calls, written as those of requests are. Days that are over count as one hour: they are added up anyway. */
export async function addDemoUsage({ database, now }: Ctx, callers: readonly DemoCaller[]): Promise<void> {
  const log = createLog('silent')
  const usage = createUsageCounter((uses, options) => writeUsage(database, uses, options), log)
  const calls = createCallLog((entries) => writeCalls(database, entries), log, now)
  const at = now()
  const until = at - (at % HOUR)
  const recent = until - (until % DAY) - 2 * DAY
  let hours = 0
  for (let day = recent - (DAYS - 3) * DAY; day < recent; day += DAY) {
    for (let hour = 0; hour < DAY; hour += HOUR) count(usage, callers, { at: day + DAY / 2, like: day + hour })
    if (++hours % WRITE_EVERY === 0) await usage.flush()
  }
  for (let hour = recent; hour < until; hour += HOUR) {
    count(usage, callers, { at: hour, like: hour })
    if (hour >= until - CALLS_STORED_MS) logCalls(calls, callers, hour)
    if (++hours % WRITE_EVERY === 0) await usage.flush()
  }
  await usage.close()
  await calls.flush({ all: true })
}

function count(usage: UsageCounter, callers: readonly DemoCaller[], { at, like }: { at: number; like: number }): void {
  for (const [index, { keyId, from, agent, operation, rootFields, hours }] of callers.entries()) {
    const { calls, errors } = hours(new Date(like), random(like / HOUR + index * 7919))
    for (let i = 0; i < calls; i++) usage.noteCall(keyId, { at, from, agent, operation, fields: rootFields })
    for (let i = 0; i < errors; i++) usage.noteRefusedCall(keyId, at)
  }
}

/** The calls of one hour, spread over it: as many as are counted. */
function logCalls(log: CallLog, callers: readonly DemoCaller[], hour: number): void {
  for (const [index, { keyId, from: address, operation, refusal = OVER_LIMIT, hours }] of callers.entries()) {
    const { calls, errors } = hours(new Date(hour), random(hour / HOUR + index * 7919))
    const at = (i: number, of: number) => hour + Math.floor(((i + 0.5) / of) * HOUR)
    for (let i = 0; i < calls; i++) {
      const ms = 2 + 9 * random(hour / HOUR + index + i)
      log.note(keyId, true, { at: at(i, calls), operation, address, status: 200, ms, code: undefined })
    }
    for (let i = 0; i < errors; i++) {
      log.note(keyId, false, { at: at(i, errors), operation: undefined, address, ...refusal, ms: 0.4 })
    }
  }
}

/** From 0 to 1; a seed always gives the same number. */
function random(seed: number): number {
  const x = Math.sin(seed) * 10_000
  return x - Math.floor(x)
}
