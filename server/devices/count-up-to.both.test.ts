import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { fleetOf } from '../../test/support/world/fleet.ts'
import { startWorld } from '../../test/support/world/world.ts'

const COUNT = `query ($most: Int!, $search: String, $filter: DeviceFilter) {
  devices(first: 1, search: $search, filter: $filter) { totalCount countUpTo(most: $most) }
}`

const FILTERS: [args: object, count: number][] = [
  [{}, 4],
  [{ search: 'edge' }, 3],
  [{ filter: { tags: ['lte'] } }, 3],
  [{ filter: { tags: ['lte', 'indoor'] } }, 2],
  [{ filter: { enabled: false } }, 2],
  [{ filter: { status: 'NEVER_SEEN', enabled: true } }, 1],
  [{ filter: { status: 'ONLINE', tags: ['lte'] } }, 1],
  [{ filter: { nameContains: 'dge', tags: ['lte'] } }, 2],
  [{ filter: { nameContains: 'none' } }, 0],
]

const it = inWorld(startWorld).extend('fleet', { scope: 'file', auto: true }, async ({ acme }) => {
  const fleet = fleetOf(acme)
  await fleet.checkIn(await fleet.add({ name: 'edge-1', tags: ['lte', 'indoor'] }))
  await fleet.add({ name: 'edge-2', tags: ['indoor', 'lte'], enabled: false })
  await fleet.add({ name: 'edge-3', enabled: false })
  await fleet.add({ name: 'pump', tags: ['lte'] })
})

it.for(FILTERS)('a count stops at the number that is given: %j', async ([args, count], { call }) => {
  for (const most of [1, 2, 3, 10_001])
    expect((await call(COUNT, { ...args, most })).data).toEqual({
      devices: { totalCount: count, countUpTo: Math.min(count, most) },
    })
})

it('it is a number from 1 to 10,001', async ({ call }) => {
  for (const most of [0, 10_002])
    expect((await call(COUNT, { most })).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field: 'most' }])
})
