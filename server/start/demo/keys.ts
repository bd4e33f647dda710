import { generateApiKey } from '../../api-keys/generate.ts'
import type { Ctx } from '../../ctx.ts'
import { DAY } from '../../lib/clock.ts'
import { before } from './devices.ts'
import { addDemoUsage } from './usage.ts'

/** The keys of the demo. Nobody has their secrets; the one that is printed comes on top of them. */
const KEYS = {
  'old-import': { createdMs: 118 * DAY },
  contractor: { createdMs: 81 * DAY, expiresInMs: 9 * DAY },
  'site-devices': { createdMs: 75 * DAY },
  'grafana-dashboard': { createdMs: 61 * DAY },
  'nightly-export': { createdMs: 40 * DAY },
} as const satisfies Record<string, { createdMs: number; expiresInMs?: number }>

type DemoKey = keyof typeof KEYS

/** Generates them, with a month of usage. Answers with the key that the devices use. */
export async function addDemoKeys(ctx: Ctx): Promise<{ deviceKeyId: string }> {
  const ids = new Map<DemoKey, string>()
  for (const [label, key] of Object.entries(KEYS) as [DemoKey, (typeof KEYS)[DemoKey]][]) {
    const expiresAt = 'expiresInMs' in key ? ctx.now() + key.expiresInMs : null
    const { apiKey } = await generateApiKey(before(ctx, key.createdMs), { label, expiresAt })
    ids.set(label, apiKey.id)
  }
  const idOf = (label: DemoKey) => ids.get(label) ?? ''
  await addDemoUsage(ctx, [
    {
      keyId: idOf('site-devices'),
      from: '10.20.0.7',
      agent: 'edge-agent/4.2',
      operation: 'checkInDevice',
      hours: devices,
    },
    { keyId: idOf('grafana-dashboard'), from: '10.20.1.15', agent: 'Grafana/12.1', operation: 'Fleet', hours: office },
    {
      keyId: idOf('nightly-export'),
      from: '10.20.1.4',
      agent: 'nightly-export/1.2',
      operation: 'devices',
      hours: night,
    },
    { keyId: idOf('contractor'), from: '203.0.113.9', agent: 'curl/8.15.0', operation: 'devices', hours: visits },
  ])
  return { deviceKeyId: idOf('site-devices') }
}

const isWeekend = (at: Date) => [0, 6].includes(at.getUTCDay())

/** Calls by the hour: devices do not rest, people do. */
const devices = (_at: Date, random: number) => ({ calls: 38 + Math.floor(random * 9), errors: 0 })

function office(at: Date, random: number) {
  const isOpen = at.getUTCHours() >= 7 && at.getUTCHours() < 18
  const calls = !isOpen ? 2 : isWeekend(at) ? 8 : 70
  return { calls: Math.floor(calls * (0.7 + 0.6 * random)), errors: 0 }
}

const night = (at: Date, random: number) =>
  at.getUTCHours() === 2 ? { calls: 60 + Math.floor(random * 25), errors: random > 0.85 ? 12 : 0 } : NONE

/** Some of these are refused: it tries more than it may. */
const visits = (at: Date, random: number) =>
  !isWeekend(at) && at.getUTCHours() === 9 ? { calls: Math.floor(random * 45), errors: Math.floor(random * 18) } : NONE

const NONE = { calls: 0, errors: 0 }
