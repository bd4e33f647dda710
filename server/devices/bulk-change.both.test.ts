import { describe, expect } from 'vitest'
import { bulk, countedDevices, deviceEvents, inShort, storedDevices } from '../../test/support/world/bulk.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import type { Call } from '../../test/support/world/people.ts'
import { PATIENT, untilItWaits } from '../../test/support/world/waiting.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { newId } from '../lib/id.ts'

const it = inOrganization(() => startWorld({ timeouts: PATIENT })).extend(
  'call',
  ({ world, key }) => world.asKey(key.secret).call,
)

/** Devices of these names, with a tag each, and their ids by name. */
async function created(call: Call, ...names: string[]): Promise<Record<string, string>> {
  const results = await bulk(
    call,
    'createDevices',
    names.map((name) => ({ name, tags: ['old'], firmwareVersion: '1' })),
  )
  return Object.fromEntries(results.map(({ device }) => [device?.name, device?.id]))
}

const tagged = async (call: Call, tag: string) => {
  const { data } = await call('query ($tags: [String!]) { devices(filter: { tags: $tags }) { data { name } } }', {
    tags: [tag],
  })
  return (data as { devices: { data: { name: string }[] } }).devices.data.map(({ name }) => name)
}

describe('updateDevices', () => {
  it('changes the given fields, with the events and tags of single changes', async ({ world, acme, call }) => {
    const { a, b, c } = await created(call, 'a', 'b', 'c')
    world.clock.advance(1000)
    const results = await bulk(call, 'updateDevices', [
      { id: b, tags: ['new'], description: 'x' },
      { id: a, name: 'z', enabled: false },
      { id: c, firmwareVersion: '1' },
    ])
    expect(results.map(({ device }) => device)).toMatchObject([
      { id: b, name: 'b', tags: ['new'], description: 'x', enabled: true, firmwareVersion: '1' },
      { id: a, name: 'z', tags: ['old'], description: null, enabled: false },
      { id: c, name: 'c', tags: ['old'] },
    ])
    expect(await tagged(call, 'old')).toEqual(['c', 'z'])
    expect(await tagged(call, 'new')).toEqual(['b'])
    expect(results[2]?.device?.updatedAt).not.toBe(results[0]?.device?.updatedAt) // an equal value is no change
    const events = (await deviceEvents(world, acme.id)).slice(3)
    expect(events.map(({ details }) => details)).toEqual([
      `changed description, tags; device ${b}`,
      `changed name, enabled; was a; device ${a}`,
    ])
    expect(JSON.parse(events[1]?.changes ?? '')).toEqual([
      { field: 'name', before: 'a', after: 'z' },
      { field: 'enabled', before: true, after: false },
    ])
  })

  it('null clears a field, but not the name', async ({ call }) => {
    const { a, b } = await created(call, 'a', 'b')
    const results = await bulk(
      call,
      'updateDevices',
      [
        { id: a, firmwareVersion: null, tags: null },
        { id: b, name: null },
      ],
      false,
    )
    expect(results[0]?.device).toMatchObject({ firmwareVersion: null, tags: [] })
    expect(inShort(results)).toEqual(['a', 'BAD_USER_INPUT name'])
  })

  it('a name that another caller takes meanwhile is taken, and the others are done', async ({ world, call }) => {
    const { a, b, c = '' } = await created(call, 'a', 'b', 'c')
    const items = [
      { id: a, name: 'wanted' },
      { id: b, name: 'other' },
    ]
    const { done } = await world.database.transaction(async (db) => {
      await db.updateTable('device').set({ name: 'wanted', nameKey: 'wanted' }).where('id', '=', c).execute()
      return untilItWaits(world, () => bulk(call, 'updateDevices', items, false))
    })
    expect((await done).map(({ device, error }) => error?.code ?? device?.name)).toEqual(['CONFLICT', 'other'])
  })

  it('names move on as if one after the other: taken, freed before, and exchanged', async ({ world, acme, call }) => {
    const { a, b, c } = await created(call, 'a', 'b', 'c')
    const taken = [
      { id: a, name: 'b' },
      { id: b, name: 'd' },
    ]
    expect(inShort(await bulk(call, 'updateDevices', taken))).toEqual(['CONFLICT name', 'NOT_APPLIED'])
    const freed = [
      { id: b, name: 'd' },
      { id: a, name: 'b' },
      { id: c, name: 'a', tags: ['last'] },
    ]
    expect(inShort(await bulk(call, 'updateDevices', freed))).toEqual(['d', 'b', 'a'])
    expect((await storedDevices(world, acme.id)).map(({ id, name }) => [name, id])).toEqual([
      ['a', c],
      ['b', a],
      ['d', b],
    ])
    expect(await tagged(call, 'last')).toEqual(['a'])
  })
})

describe('upsertDevices', () => {
  it('adds what is new and changes what exists, and leaves what is absent', async ({ world, acme, call }) => {
    const { a, b } = await created(call, 'a', 'b')
    await bulk(call, 'updateDevices', [{ id: a, enabled: false, description: 'kept' }])
    const results = await bulk(call, 'upsertDevices', [
      { name: 'c', tags: ['new'] },
      { name: 'a', tags: ['new'] },
      { name: 'b' },
    ])
    expect(results.map(({ device }) => device)).toMatchObject([
      { name: 'c', enabled: true, tags: ['new'] },
      { id: a, name: 'a', enabled: false, description: 'kept', tags: ['new'], firmwareVersion: '1' },
      { id: b, name: 'b', enabled: true, tags: ['old'] },
    ])
    expect(await tagged(call, 'new')).toEqual(['a', 'c'])
    expect(await countedDevices(world, acme.id)).toBe(3)
    const events = (await deviceEvents(world, acme.id)).slice(3)
    expect(events.map(({ action, subject }) => [action, subject])).toEqual([
      ['device.created', 'c'],
      ['device.updated', 'a'],
    ])
  })

  it.for([true, false])('enabled: %s is set where it is given, as a value or a literal', async (enabled, { call }) => {
    const { a } = await created(call, 'a')
    await bulk(call, 'updateDevices', [{ id: a, enabled: !enabled }])
    expect((await bulk(call, 'upsertDevices', [{ name: 'a', enabled }]))[0]?.device?.enabled).toBe(enabled)
    const literal = `mutation { upsertDevices(inputs: [{ name: "a", enabled: ${!enabled} }]) { results { device { enabled } } } }`
    expect((await call(literal)).data).toEqual({ upsertDevices: { results: [{ device: { enabled: !enabled } }] } })
  })

  it('again is no change', async ({ world, acme, call }) => {
    const inputs = [{ name: 'a', tags: ['x'], location: { latitude: 1.5 } }, { name: 'b' }]
    await bulk(call, 'upsertDevices', inputs)
    const before = await storedDevices(world, acme.id)
    world.clock.advance(1000)
    await bulk(call, 'upsertDevices', inputs)
    expect(await storedDevices(world, acme.id)).toEqual(before)
    expect(await deviceEvents(world, acme.id)).toHaveLength(2)
  })
})

describe('deleteDevices', () => {
  it('deletes devices with their tags and returns them as they were', async ({ world, acme, call }) => {
    const { a, b, c } = await created(call, 'a', 'b', 'c')
    const results = await bulk(call, 'deleteDevices', [{ id: c }, { id: a }])
    expect(results.map(({ device }) => device)).toMatchObject([
      { id: c, name: 'c', tags: ['old'] },
      { id: a, name: 'a' },
    ])
    expect((await storedDevices(world, acme.id)).map(({ id }) => id)).toEqual([b])
    expect(await tagged(call, 'old')).toEqual(['b'])
    expect(await countedDevices(world, acme.id)).toBe(1)
    const events = (await deviceEvents(world, acme.id)).slice(3)
    expect(events.map(({ action, details }) => [action, details])).toEqual([
      ['device.deleted', `device ${c}`],
      ['device.deleted', `device ${a}`],
    ])
  })
})

describe('checkInDevices', () => {
  it('records the time, and another firmware version as a change', async ({ world, acme, call }) => {
    const { a, b, c } = await created(call, 'a', 'b', 'c')
    world.clock.advance(60_000)
    const now = new Date(world.clock.now()).toISOString()
    const results = await bulk(call, 'checkInDevices', [
      { id: a },
      { id: b, firmwareVersion: '2' },
      { id: c, firmwareVersion: '1' },
    ])
    expect(results.map(({ device }) => device)).toMatchObject([
      { id: a, lastSeenAt: now, firmwareVersion: '1' },
      { id: b, lastSeenAt: now, firmwareVersion: '2', updatedAt: now },
      { id: c, lastSeenAt: now, firmwareVersion: '1' },
    ])
    expect(results[2]?.device?.updatedAt).not.toBe(now)
    const stored = await storedDevices(world, acme.id)
    expect(stored.map(({ lastSeenAt, firmwareVersion }) => [lastSeenAt, firmwareVersion])).toEqual([
      [world.clock.now(), '1'],
      [world.clock.now(), '2'],
      [world.clock.now(), '1'],
    ])
    expect((await deviceEvents(world, acme.id)).slice(3).map(({ details }) => details)).toEqual([
      `changed firmwareVersion by a check-in; device ${b}`,
    ])
  })
})

describe.each(['updateDevices', 'deleteDevices', 'checkInDevices'] as const)('%s', (field) => {
  it('an id that does not exist, is of another organization, malformed or given twice', async ({
    world,
    ada,
    acme,
    call,
  }) => {
    const { a } = await created(call, 'a')
    const other = await world.organization('Other', { admin: ada })
    const foreign = await bulk(other.call, 'createDevices', [{ name: 'foreign' }])
    const foreignId = foreign[0]?.device?.id
    const inputs = [a, newId(1), foreignId, 'x', 'x', a].map((id) => ({ id }))
    const codes = ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'BAD_USER_INPUT id']
    const before = await storedDevices(world, acme.id)
    expect(inShort(await bulk(call, field, inputs))).toEqual(['NOT_APPLIED', ...codes])
    expect(await storedDevices(world, acme.id)).toEqual(before)
    expect(inShort(await bulk(call, field, inputs, false))).toEqual(['a', ...codes])
    expect(await storedDevices(world, other.id)).toMatchObject([{ id: foreignId, lastSeenAt: null }])
  })
})
