import type { Ctx } from '../ctx.ts'
import { checkInDevice, createDevice } from '../devices/device.ts'

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

const KINDS = [
  { kind: 'gateway', tags: ['gateway', 'lte'], firmwareVersion: '4.2.1', alive: true },
  { kind: 'camera', tags: ['camera', 'indoor'], firmwareVersion: '1.9.0', alive: true },
  { kind: 'thermometer', tags: ['sensor', 'battery'], firmwareVersion: '2.0.3', alive: true },
  { kind: 'spare', tags: ['spare'], firmwareVersion: '4.1.0', alive: false },
] as const

/** A small demo fleet: three sites, some devices that have just checked in and some that never have. */
export async function addDemoDevices(ctx: Ctx): Promise<void> {
  for (const site of SITES) {
    for (const { kind, tags, firmwareVersion, alive } of KINDS) {
      const name = `${site.name.toLowerCase()}-${kind}`
      const device = await createDevice(ctx, { name, tags: [...tags], firmwareVersion, location: { ...site } })
      if (alive) await checkInDevice(ctx, device.id)
    }
  }
}
