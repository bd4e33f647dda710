import type { Ctx } from '../../caller/ctx.ts'
import type { DemoDeviceTable, DeviceCheckInsTable } from '../../db/tables.ts'
import { CHECK_IN_DAYS, daysAsText } from '../../devices/check-in-days.ts'
import { checkInDevice, createDevice } from '../../devices/device.ts'
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts'

const SITES = [
  { name: 'Hamburg', address: 'Am Sandtorkai 1', latitude: 53.5436, longitude: 9.9885, timeZone: 'Europe/Berlin' },
  { name: 'Lyon', address: 'Quai Perrache 12', latitude: 45.7485, longitude: 4.8467, timeZone: 'Europe/Paris' },
  {
    name: 'Austin',
    address: 'Congress Avenue 200',
    latitude: 30.2649,
    longitude: -97.7454,
    timeZone: 'America/Chicago',
  },
] as const

type Life = DemoDeviceTable['pattern'] | { offlineForMs: number } | 'NEVER_SEEN'

const KINDS: readonly { kind: string; tags: string[]; firmwareVersion: string; life: Life }[] = [
  { kind: 'gateway', tags: ['gateway', 'lte'], firmwareVersion: '4.2.1', life: 'STEADY' },
  { kind: 'camera', tags: ['camera', 'indoor'], firmwareVersion: '1.9.0', life: 'STEADY' },
  { kind: 'dock-camera', tags: ['camera', 'outdoor'], firmwareVersion: '1.9.0', life: 'STEADY' },
  { kind: 'thermometer', tags: ['sensor', 'battery'], firmwareVersion: '2.0.3', life: 'STEADY' },
  { kind: 'door-sensor', tags: ['sensor', 'battery'], firmwareVersion: '2.0.1', life: 'FLAKY' },
  { kind: 'display', tags: ['display'], firmwareVersion: '0.8.4', life: { offlineForMs: 9 * HOUR } },
  { kind: 'spare', tags: ['spare'], firmwareVersion: '4.1.0', life: 'NEVER_SEEN' },
]

const FIRST_DEVICE_MS = 119 * DAY

/** Three sites, with devices that check in from now on, some that have stopped, and some that never have. */
export async function addDemoDevices(ctx: Ctx, keyId: string): Promise<void> {
  const patterns: DemoDeviceTable[] = []
  const days: DeviceCheckInsTable[] = []
  let agoMs = FIRST_DEVICE_MS
  for (const site of SITES) {
    for (const { kind, tags, firmwareVersion, life } of KINDS) {
      agoMs -= 5 * DAY
      const name = `${site.name.toLowerCase()}-${kind}`
      const added = { name, tags, firmwareVersion, location: { ...site } }
      const { id } = await createDevice(before(ctx, agoMs), added)
      if (life !== 'NEVER_SEEN') days.push({ deviceId: id, days: pastDays(ctx.now(), agoMs, life) })
      if (typeof life === 'object') await checkInDevice(before(ctx, life.offlineForMs), id)
      else if (life !== 'NEVER_SEEN') patterns.push({ deviceId: id, keyId, pattern: life })
    }
  }
  await ctx.database.transaction(async (db) => {
    await db.insertInto('demoDevice').values(patterns).execute()
    await db.insertInto('deviceCheckIns').values(days).execute()
  })
}

/** A check-in each minute of the days before, and fewer from a flaky device. */
function pastDays(now: number, agoMs: number, life: Life): string {
  const lastAt = typeof life === 'object' ? now - life.offlineForMs : now
  const today = lastAt - (lastAt % DAY)
  const count = Math.min(CHECK_IN_DAYS - 1, Math.floor(agoMs / DAY))
  const days = Array.from({ length: count }, (_, index) => {
    const firstAt = today - (count - index) * DAY
    const missed = life === 'FLAKY' ? 600 + ((index * 37) % 9) * 25 : (index * 29) % 11
    return { firstAt, lastAt: firstAt + DAY - MINUTE, checkIns: DAY / MINUTE - missed }
  })
  return daysAsText(days)
}

export const before = (ctx: Ctx, ms: number): Ctx => ({ ...ctx, now: () => ctx.now() - ms })
