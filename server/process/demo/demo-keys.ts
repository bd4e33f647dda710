import { generateApiKey } from '../../api-keys/generate.ts'
import { pauseApiKey } from '../../api-keys/pause/pause-keys.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { ApiKeyAccess } from '../../caller/key-rules.ts'
import { DAY } from '../../lib/clock.ts'
import { before } from './demo-devices.ts'
import { addDemoUsage, type DemoCaller } from './usage.ts'

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
