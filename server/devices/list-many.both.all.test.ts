import { describe, expect } from 'vitest'
import { bulk } from '../../test/support/world/bulk.ts'
import { allPages, type Device, LIST, listOf, ORDERS, sorted } from '../../test/support/world/device-pages.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'

const PARTS = 5
const OF_A_PART = 500

/** So many that no condition is met by few: pages are found in the order of the list. */
const it = inWorld(startWorld).extend('devices', { scope: 'file' }, async ({ world, call }) => {
  const ids: string[] = []
  for (let part = 0; part < PARTS; part++) {
    world.clock.advance(1000)
    const inputs = Array.from({ length: OF_A_PART }, (_, i) => ({
      name: `${i % 5 === 0 ? 'pump' : 'Edge'}-${(i * 37) % 500}-${part}`,
      tags: i % 3 === 0 ? ['rare'] : ['lte'],
    }))
    const created = await bulk(call, 'createDevices', inputs)
    ids.push(...created.flatMap(({ device }) => device?.id ?? []))
    world.clock.advance(1000)
    const seen = created.filter((_, i) => i % 2 === 0).map(({ device }) => ({ id: device?.id }))
    await bulk(call, 'checkInDevices', seen)
  }
  const devices: Device[] = []
  for (let at = 0; at < ids.length; at += OF_A_PART) {
    const filter = { ids: ids.slice(at, at + OF_A_PART) }
    devices.push(...listOf(await call(LIST, { first: OF_A_PART, filter })).data)
  }
  return devices
})

const FILTERS: [string, Record<string, unknown>, (device: Device) => boolean][] = [
  ['no filter', {}, () => true],
  ['a part of the name', { nameContains: 'DGE-' }, ({ name }) => name.startsWith('Edge')],
  ['a beginning', { search: 'edge' }, ({ name }) => name.startsWith('Edge')],
  ['a tag', { tags: ['lte'] }, ({ tags }) => tags.includes('lte')],
  ['seen', { status: 'ONLINE' }, ({ lastSeenAt }) => lastSeenAt !== null],
  ['never seen', { status: 'NEVER_SEEN' }, ({ lastSeenAt }) => lastSeenAt === null],
  ['a time', { updatedSince: '2020-01-01T00:00:00Z' }, () => true],
]

describe.each(ORDERS)('many devices by $field $direction', (orderBy) => {
  it.for(FILTERS)('every page of %s', async ([, given, matches], { call, devices }) => {
    const { search, ...filter } = given
    const expected = sorted(devices.filter(matches), orderBy)
    expect(expected.length).toBeGreaterThan(1000)
    expect(await allPages(call, 300, { search, filter, orderBy })).toEqual(expected)
  })
})
