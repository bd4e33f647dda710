import { type CallLog, createCallLog } from '../../api-keys/calls/call-log.ts'
import { CALLS_STORED_MS } from '../../api-keys/calls/read-calls.ts'
import { writeCalls } from '../../api-keys/calls/write-calls.ts'
import { generateApiKey } from '../../api-keys/generate.ts'
import { pauseApiKey } from '../../api-keys/pause/pause-keys.ts'
import { createUsageCounter, type UsageCounter } from '../../api-keys/usage/counter.ts'
import { writeUsage } from '../../api-keys/usage/write-usage.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { ApiKeyAccess } from '../../caller/key-rules.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { before } from './demo-devices.ts'

interface DemoKey {
  label: string
  ageMs: number
  access?: ApiKeyAccess
  expiresInMs?: number
  pausedForMs?: number
  usedBy?: Omit<DemoCaller, 'keyId'>
}

const DEVICE_KEY = 'site-devices'

/** Nobody has their secrets; the key that is printed comes on top of them. */
const KEYS: readonly DemoKey[] = [
  { label: 'old-import', ageMs: 118 * DAY },
  {
    label: 'contractor',
    ageMs: 81 * DAY,
    expiresInMs: 9 * DAY,
    usedBy: {
      from: '203.0.113.9',
      agent: 'curl/8.15.0',
      operation: 'devices',
      rootFields: ['devices'],
      refusal: { status: 403, code: 'FORBIDDEN' },
      hours: visits,
    },
  },
  {
    label: DEVICE_KEY,
    ageMs: 75 * DAY,
    access: 'DEVICES',
    usedBy: {
      from: '10.20.0.7',
      agent: 'edge-agent/4.2',
      operation: 'checkInDevice',
      rootFields: ['checkInDevice'],
      hours: atAllHours,
    },
  },
  {
    label: 'grafana-dashboard',
    ageMs: 61 * DAY,
    access: 'READ_ONLY',
    usedBy: { from: '10.20.1.15', agent: 'Grafana/12.1', operation: 'Fleet', rootFields: ['devices'], hours: office },
  },
  { label: 'field-tablet', ageMs: 47 * DAY, access: 'DEVICES', pausedForMs: 2 * DAY },
  {
    label: 'nightly-export',
    ageMs: 40 * DAY,
    usedBy: {
      from: '10.20.1.4',
      agent: 'nightly-export/1.2',
      operation: 'Export',
      rootFields: ['devices', 'users'],
      hours: night,
    },
  },
]

/** Generates them, with a month of usage. Answers with the key that the devices use. */
export async function addDemoKeys(ctx: Ctx): Promise<{ deviceKeyId: string }> {
  const callers: DemoCaller[] = []
  let deviceKeyId = ''
  for (const { label, ageMs, access, expiresInMs, pausedForMs, usedBy } of KEYS) {
    const expiresAt = expiresInMs === undefined ? null : ctx.now() + expiresInMs
    const { apiKey } = await generateApiKey(before(ctx, ageMs), { label, expiresAt, access })
    if (pausedForMs !== undefined) await pauseApiKey(before(ctx, pausedForMs), apiKey.id)
    if (usedBy) callers.push({ keyId: apiKey.id, ...usedBy })
    if (label === DEVICE_KEY) deviceKeyId = apiKey.id
  }
  await addDemoUsage(ctx, callers)
  return { deviceKeyId }
}

const NONE = { calls: 0, errors: 0 }

const isWeekend = (at: Date) => [0, 6].includes(at.getUTCDay())

function atAllHours(_at: Date, random: number) {
  return { calls: 38 + Math.floor(random * 9), errors: 0 }
}

function office(at: Date, random: number) {
  const isOpen = at.getUTCHours() >= 7 && at.getUTCHours() < 18
  const calls = !isOpen ? 2 : isWeekend(at) ? 8 : 70
  return { calls: Math.floor(calls * (0.7 + 0.6 * random)), errors: 0 }
}

/** Now and then it is over its rate limit. */
function night(at: Date, random: number) {
  if (at.getUTCHours() !== 2) return NONE
  return { calls: 60 + Math.floor(random * 25), errors: random > 0.8 ? 140 : 0 }
}

/** Some of these are refused: it tries more than it may. */
function visits(at: Date, random: number) {
  if (isWeekend(at) || at.getUTCHours() !== 9) return NONE
  return { calls: Math.floor(random * 45), errors: Math.floor(random * 90) }
}

const DAYS = 30
/** The counter holds some hours at most. */
const WRITE_EVERY = 8
const OVER_LIMIT = { status: 429, code: 'RATE_LIMITED' }

interface DemoCaller {
  keyId: string
  from: string
  agent: string
  operation: string
  rootFields: readonly string[]
  refusal?: { status: number; code: string }
  hours: (at: Date, random: number) => { calls: number; errors: number }
}

/** A month of calls, written as those of requests are. Days that are over count as one hour: they are added up anyway. */
async function addDemoUsage({ database, now }: Ctx, callers: readonly DemoCaller[]): Promise<void> {
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
