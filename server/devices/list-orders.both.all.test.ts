import { describe, expect } from 'vitest'
import { bulk } from '../../test/support/world/bulk.ts'
import { allPages, type Device, LIST, listOf, ORDERS, sorted } from '../../test/support/world/device-pages.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'

const COUNT = 45
/** Devices with many equal times: groups of ten are created at once, some changed, some seen, some never. */
const it = inWorld(startWorld).extend('devices', { scope: 'file' }, async ({ world, call }) => {
  for (let group = 0; group < COUNT / 5; group++) {
    world.clock.advance(group % 2 === 0 ? 1000 : 0)
    const inputs = Array.from({ length: 5 }, (_, i) => ({
      name: `${(group * 5 + i * 7) % 3 === 0 ? 'Edge' : 'pump'}-${i}-${group}`,
      tags: i % 2 === 0 ? ['even'] : [],
      enabled: i !== 4,
    }))
    const created = await bulk(call, 'createDevices', inputs)
    const ids = created.map(({ device }) => ({ id: device?.id }))
    world.clock.advance(group % 3 === 0 ? 500 : 0)
    await bulk(call, 'checkInDevices', ids.slice(0, 2))
    await bulk(
      call,
      'updateDevices',
      ids.slice(1, 3).map((id) => ({ ...id, description: 'x' })),
    )
  }
  return listOf(await call(LIST, { first: 500 })).data
})

const FILTERS: [string, Record<string, unknown>, (device: Device) => boolean][] = [
  ['no filter', {}, () => true],
  ['a part of the name', { nameContains: 'P-1' }, ({ name }) => name.includes('p-1')],
  ['a tag', { tags: ['even'] }, ({ name }) => /-[024]-/.test(name)],
  ['never seen', { status: 'NEVER_SEEN' }, ({ lastSeenAt }) => lastSeenAt === null],
  ['online', { status: 'ONLINE' }, ({ lastSeenAt }) => lastSeenAt !== null],
  ['disabled', { enabled: false }, ({ name }) => /-4-/.test(name)],
  ['a beginning', { search: 'edge' }, ({ name }) => name.startsWith('Edge')],
  [
    'all at once',
    {
      search: 'PUMP',
      nameContains: '-0-',
      tags: ['even'],
      status: 'ONLINE',
      enabled: true,
      updatedSince: '2020-01-01T00:00:00Z',
    },
    ({ name }) => name.startsWith('pump-0-'),
  ],
]

describe.each(ORDERS)('$field $direction', (orderBy) => {
  it.for(FILTERS)(
    'every page of %s, each device once, ties in a fixed order',
    async ([, given, matches], { call, devices }) => {
      const { search, ...filter } = given
      const args = { search, filter, orderBy }
      const expected = sorted(devices.filter(matches), orderBy)
      expect(expected.length).toBeGreaterThan(2)
      for (const first of [1, 7, 500]) expect(await allPages(call, first, args)).toEqual(expected)
      expect(listOf(await call(LIST, args)).totalCount).toBe(expected.length)
    },
  )

  it('by ids and by the last change', async ({ call, devices }) => {
    const ids = devices.filter((_, i) => i % 4 === 0).map(({ id }) => id)
    const expected = sorted(
      devices.filter(({ id }) => ids.includes(id)),
      orderBy,
    )
    const more = [...ids, 'x', '01abcdefghjkmnpqrstvwxyz00']
    expect(await allPages(call, 5, { filter: { ids: more }, orderBy })).toEqual(expected)
    expect(listOf(await call(LIST, { filter: { ids: more }, orderBy })).totalCount).toBe(expected.length)
    expect(await allPages(call, 5, { filter: { ids: [] }, orderBy })).toEqual([])
    const updatedSince = devices.map(({ updatedAt }) => updatedAt).sort()[30]
    const later = sorted(
      devices.filter(({ updatedAt }) => updatedAt >= String(updatedSince)),
      orderBy,
    )
    expect(await allPages(call, 4, { filter: { updatedSince }, orderBy })).toEqual(later)
    expect(listOf(await call(LIST, { filter: { updatedSince }, orderBy })).totalCount).toBe(later.length)
  })

  it('by names, as they are spelled', async ({ call, devices }) => {
    const some = devices.filter((_, i) => i % 4 === 1)
    const expected = sorted(some, orderBy)
    const names = [...some.map(({ name }) => name), 'EDGE-0-0', 'nothing', ...some.map(({ name }) => ` ${name} `)]
    expect(await allPages(call, 5, { filter: { names }, orderBy })).toEqual(expected)
    expect(listOf(await call(LIST, { filter: { names }, orderBy })).totalCount).toBe(expected.length)
    const ids = devices.slice(0, 6).map(({ id }) => id)
    const both = expected.filter((id) => ids.includes(id))
    expect(await allPages(call, 5, { filter: { names, ids }, orderBy })).toEqual(both)
    expect(await allPages(call, 5, { filter: { names: [] }, orderBy })).toEqual([])
  })

  it('a cursor of another order is refused, and says so', async ({ call, devices }) => {
    expect(devices).toHaveLength(COUNT)
    for (const other of ORDERS) {
      const { endCursor } = listOf(await call(LIST, { first: 3, orderBy: other })).pageInfo
      const { errors } = await call(LIST, { first: 3, after: endCursor, orderBy })
      if (other.field === orderBy.field && other.direction === orderBy.direction) expect(errors).toEqual([])
      else {
        expect(errors).toMatchObject([{ code: 'BAD_USER_INPUT', extensions: { field: 'after' } }])
        expect(errors[0]?.message).toBe(
          'after: an endCursor of this list in the same order: this one is of another orderBy.',
        )
      }
    }
  })
})

it('a part of the name is searched in any case and as it is, also where it looks like a pattern', async ({
  call,
  devices,
}) => {
  expect(devices).toHaveLength(COUNT)
  await bulk(call, 'createDevices', [{ name: '100%_Größe' }, { name: "it's ΣΑΣ" }])
  const found = async (nameContains: string) =>
    listOf(await call(LIST, { filter: { nameContains } })).data.map(({ name }) => name)
  expect(await found('%')).toEqual(['100%_Größe'])
  expect(await found('_')).toEqual(['100%_Größe'])
  expect(await found('GRÖSSE')).toEqual([])
  expect(await found('gröẞ')).toEqual(['100%_Größe'])
  expect(await found("T'S σας")).toEqual(["it's ΣΑΣ"])
  expect(await found(' σας')).toEqual(["it's ΣΑΣ"])
  expect(await found('\u00a0')).toEqual(["it's ΣΑΣ"]) // as it is compared with a blank in names
  expect(await found(' %')).toEqual([])
  expect(await found('σας ')).toEqual([])
})
