import { beforeEach, describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import type { Answer } from '../../test/support/world/http.ts'
import type { Call } from '../../test/support/world/people.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'

const FIELDS = `id name description enabled status lastSeenAt firmwareVersion tags createdAt updatedAt
  location { name address latitude longitude timeZone }`
const CREATE = `mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { ${FIELDS} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateDeviceInput!) { updateDevice(id: $id, input: $input) { ${FIELDS} } }`
const CHECK_IN = `mutation ($id: ID!, $input: CheckInDeviceInput) { checkInDevice(id: $id, input: $input) { ${FIELDS} } }`
const FIND = `query ($id: ID!) { device(id: $id) { ${FIELDS} } }`

const FULL = {
  name: 'edge-full',
  description: 'Two lines:\nhere.',
  enabled: false,
  location: { name: 'Lyon', address: 'Quai 12', latitude: 45.7, longitude: 4.8, timeZone: 'Europe/Paris' },
  tags: ['lte', 'indoor'],
  firmwareVersion: '4.2.1',
}

interface Device {
  id: string
  name: string
  updatedAt: string
  [field: string]: unknown
}

const it = inWorld(startWorld)
  .extend('organizationId', ({ acme }) => acme.id)
  .extend('keyId', ({ key }) => key.id)

beforeEach<{ world: World }>(async ({ world }) => {
  world.clock.advance(60_000)
  await world.database.transaction(async (db) => {
    await db.deleteFrom('device').execute()
    await db.deleteFrom('auditEvent').execute()
  })
})

const now = (world: World) => new Date(world.clock.now()).toISOString()

async function answered(call: Call, query: string, variables: object): Promise<Device> {
  const { data, errors } = await call(query, variables)
  expect(errors).toEqual([])
  return Object.values(data as Record<string, Device>)[0] ?? fail()
}

const fail = () => {
  throw new Error('No answer.')
}

const create = (call: Call, input: object = { name: 'edge-1' }) => answered(call, CREATE, { input })
const update = (call: Call, id: string, input: object) => answered(call, UPDATE, { id, input })
const checkIn = (call: Call, id: string, input?: object | null) => answered(call, CHECK_IN, { id, input })
const find = (call: Call, id: string) => answered(call, FIND, { id })

const errorsOf = ({ errors }: Answer) => errors.map(({ code, field }) => ({ code, field }))

const events = (world: World) =>
  world.database.read
    .selectFrom('auditEvent')
    .select(['action', 'subject', 'details', 'actorKind', 'actorId', 'organizationId'])
    .orderBy('id')
    .execute()

const tagRows = (world: World, deviceId: string) =>
  world.database.read.selectFrom('deviceTag').selectAll().where('deviceId', '=', deviceId).orderBy('tag').execute()

describe('createDevice', () => {
  it('creates an enabled device with only a name', async ({ world, call }) => {
    const device = await create(call, { name: 'edge-1' })
    expect(device).toEqual({
      id: expect.any(String),
      name: 'edge-1',
      description: null,
      enabled: true,
      status: 'NEVER_SEEN',
      lastSeenAt: null,
      firmwareVersion: null,
      tags: [],
      location: null,
      createdAt: now(world),
      updatedAt: now(world),
    })
    expect(await find(call, device.id)).toEqual(device)
  })

  it('stores all fields', async ({ call }) => {
    const device = await create(call, FULL)
    expect(device).toMatchObject(FULL)
    expect(await find(call, device.id)).toEqual(device)
  })

  it('refuses a name that exists in the organization, and stores nothing', async ({ world, call }) => {
    const { id } = await create(call, { name: 'edge-1' })
    const answer = await call(CREATE, { input: { name: 'edge-1', tags: ['x'] } })
    expect(answer.data).toEqual({ createDevice: null })
    expect(errorsOf(answer)).toEqual([{ code: 'CONFLICT', field: 'name' }])
    expect(await world.database.read.selectFrom('device').select('id').execute()).toEqual([{ id }])
    expect(await world.database.read.selectFrom('deviceTag').selectAll().execute()).toEqual([])
    expect(await events(world)).toHaveLength(1)
  })

  it('compares names as they are, by case too, and refuses another spelling of what looks the same', async ({
    call,
  }) => {
    await create(call, { name: 'caf\u00e9' })
    for (const name of ['cafe\u0301', 'caf\u00e9 ']) {
      expect(errorsOf(await call(CREATE, { input: { name } }))).toEqual([{ code: 'BAD_USER_INPUT', field: 'name' }])
    }
    expect((await create(call, { name: 'CAF\u00c9' })).name).toBe('CAF\u00c9')
  })

  it('two organizations can have the same name, and a name is free again after a delete', async ({ world, call }) => {
    const eve = await world.signUp('Eve')
    const { id } = await create(call, { name: 'edge-1' })
    const theirs = await eve.call(CREATE, { input: { name: 'edge-1' } })
    expect(theirs.errors).toEqual([])
    await call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id })
    expect((await create(call, { name: 'edge-1' })).id).not.toBe(id)
  })
})

describe('updateDevice', () => {
  it('keeps absent fields', async ({ world, call }) => {
    const before = await create(call, FULL)
    world.clock.advance(1000)
    expect(await update(call, before.id, { firmwareVersion: '5' })).toEqual({
      ...before,
      firmwareVersion: '5',
      updatedAt: now(world),
    })
  })

  it('clears null fields', async ({ call }) => {
    const before = await create(call, FULL)
    const cleared = { description: null, location: null, firmwareVersion: null }
    const after = await update(call, before.id, { ...cleared, tags: null })
    expect(after).toEqual({ ...before, ...cleared, tags: [] })
    expect(await find(call, before.id)).toEqual(after)
  })

  it.for(['name', 'enabled'])('refuses null for %s', async (field, { call }) => {
    const before = await create(call, FULL)
    const answer = await call(UPDATE, { id: before.id, input: { [field]: null, description: 'x' } })
    expect(errorsOf(answer)).toEqual([{ code: 'BAD_USER_INPUT', field }])
    expect(await find(call, before.id)).toEqual(before)
  })

  it('replaces a location as a whole, and an empty one is none', async ({ call }) => {
    const { id } = await create(call, FULL)
    const nowhere = { name: null, address: null, latitude: null, longitude: null, timeZone: null }
    expect(await update(call, id, { location: { name: 'Rome' } })).toMatchObject({
      location: { ...nowhere, name: 'Rome' },
    })
    expect(await update(call, id, { location: { latitude: 0 } })).toMatchObject({
      location: { ...nowhere, latitude: 0 },
    })
    expect(await update(call, id, { location: {} })).toMatchObject({ location: null })
  })

  it('refuses the name of another device, and changes nothing', async ({ world, call }) => {
    await create(call, { name: 'edge-1' })
    const before = await create(call, FULL)
    const answer = await call(UPDATE, { id: before.id, input: { name: 'edge-1', tags: ['new'] } })
    expect(errorsOf(answer)).toEqual([{ code: 'CONFLICT', field: 'name' }])
    expect(await find(call, before.id)).toEqual(before)
    expect((await tagRows(world, before.id)).map((row) => row.tag)).toEqual(['indoor', 'lte'])
  })

  it('changes the name, by which the device is found from then on', async ({ call }) => {
    const { id } = await create(call, { name: 'edge-1', tags: ['lte'] })
    expect(await update(call, id, { name: 'Kiosk' })).toMatchObject({ id, name: 'Kiosk' })
    for (const filter of [null, { tags: ['lte'] }]) {
      const answer = await call(
        'query ($filter: DeviceFilter) { devices(search: "kio", filter: $filter) { data { id } } }',
        { filter },
      )
      expect(answer.data).toEqual({ devices: { data: [{ id }] } })
    }
  })

  it('records nothing and keeps updatedAt when nothing changes', async ({ world, call }) => {
    const before = await create(call, FULL)
    world.clock.advance(1000)
    const { name, location, tags } = FULL
    expect(await update(call, before.id, {})).toEqual(before)
    expect(await update(call, before.id, { name, location, tags, enabled: false })).toEqual(before)
    expect((await events(world)).map((event) => event.action)).toEqual(['device.created'])
  })
})

describe('checkInDevice', () => {
  it('records when the device was seen, and keeps updatedAt', async ({ world, call }) => {
    const before = await create(call, FULL)
    world.clock.advance(1000)
    expect(await checkIn(call, before.id)).toEqual({ ...before, status: 'ONLINE', lastSeenAt: now(world) })
  })

  it.for([undefined, null, {}, { firmwareVersion: null }])(
    'keeps the firmware version without a new one: %j',
    async (input, { call }) => {
      const { id } = await create(call, FULL)
      expect(await checkIn(call, id, input)).toMatchObject({ firmwareVersion: '4.2.1' })
    },
  )

  it('records a new firmware version as a change, and an equal one not', async ({ world, call }) => {
    const before = await create(call, FULL)
    world.clock.advance(1000)
    const changed = now(world)
    expect(await checkIn(call, before.id, { firmwareVersion: '5' })).toMatchObject({
      firmwareVersion: '5',
      updatedAt: changed,
    })
    world.clock.advance(1000)
    expect(await checkIn(call, before.id, { firmwareVersion: '5' })).toMatchObject({
      lastSeenAt: now(world),
      updatedAt: changed,
    })
  })

  it('records the first firmware version of a device as a change', async ({ world, call }) => {
    const { id } = await create(call)
    world.clock.advance(1000)
    expect(await checkIn(call, id, { firmwareVersion: '1' })).toMatchObject({
      firmwareVersion: '1',
      updatedAt: now(world),
    })
  })

  it('never moves the time backwards', async ({ world, call }) => {
    const { id } = await create(call)
    const { lastSeenAt } = await checkIn(call, id)
    world.clock.advance(-30_000)
    expect(await checkIn(call, id)).toMatchObject({ lastSeenAt })
    world.clock.advance(30_001)
    expect(await checkIn(call, id)).toMatchObject({ lastSeenAt: now(world) })
  })

  it('is recorded in the audit log only if it brings another firmware version', async ({ world, call }) => {
    const { id } = await create(call, { name: 'edge-1', firmwareVersion: '1' })
    await checkIn(call, id)
    await checkIn(call, id, { firmwareVersion: '1' })
    expect((await events(world)).map((event) => event.action)).toEqual(['device.created'])
    await checkIn(call, id, { firmwareVersion: '2' })
    await checkIn(call, id, { firmwareVersion: '2' })
    expect((await events(world)).slice(1)).toMatchObject([
      { action: 'device.updated', details: `changed firmwareVersion by a check-in; device ${id}` },
    ])
  })
})

describe('the audit log', () => {
  it('records who created, updated and deleted a device, and which fields changed', async ({
    world,
    call,
    organizationId,
    keyId,
  }) => {
    const { id } = await create(call, { name: 'edge-1' })
    await update(call, id, { tags: ['lte'], enabled: false, description: null })
    await update(call, id, { name: 'edge-2' })
    await call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id })
    const by = { actorKind: 'API_KEY', actorId: keyId, organizationId }
    expect(await events(world)).toEqual([
      { ...by, action: 'device.created', subject: 'edge-1', details: `device ${id}` },
      { ...by, action: 'device.updated', subject: 'edge-1', details: `changed enabled, tags; device ${id}` },
      { ...by, action: 'device.updated', subject: 'edge-2', details: `changed name; was edge-1; device ${id}` },
      { ...by, action: 'device.deleted', subject: 'edge-2', details: `device ${id}` },
    ])
  })
})

describe('the tags that the list filters by', () => {
  it('are those of the device, after every change, and are deleted with it', async ({
    world,
    call,
    organizationId,
  }) => {
    const { id } = await create(call, { name: 'Edge', tags: ['b', 'a'] })
    const row = (tag: string, nameKey: string) => ({ organizationId, tag, nameKey, deviceId: id })
    expect(await tagRows(world, id)).toEqual([row('a', 'edge'), row('b', 'edge')])
    await update(call, id, { tags: ['c', 'a'] })
    expect(await tagRows(world, id)).toEqual([row('a', 'edge'), row('c', 'edge')])
    await update(call, id, { name: 'Zed' })
    expect(await tagRows(world, id)).toEqual([row('a', 'zed'), row('c', 'zed')])
    await call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id })
    expect(await tagRows(world, id)).toEqual([])
  })
})
