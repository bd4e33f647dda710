import { describe, expect } from 'vitest'
import { bulk, countedDevices, deviceEvents, inShort, numbered, storedDevices } from '../../test/support/world/bulk.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import type { Call } from '../../test/support/world/people.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { LIMITS } from '../config/limits.ts'

const it = inOrganization(startWorld).extend('call', ({ world, key }) => world.asKey(key.secret).call)

const names = async (call: Call) => {
  const { data } = await call('{ devices { data { name } } }')
  return (data as { devices: { data: { name: string }[] } }).devices.data.map(({ name }) => name)
}

describe('createDevices', () => {
  it('adds devices with all their fields, and answers in the order of the inputs', async ({ world, acme, call }) => {
    const full = {
      name: 'b',
      description: 'Two\nlines.',
      enabled: false,
      location: { name: 'Lyon', latitude: 45.7 },
      tags: ['lte', 'indoor'],
      firmwareVersion: '4.2',
    }
    const results = await bulk(call, 'createDevices', [full, { name: 'a' }])
    expect(results).toMatchObject([
      { device: { ...full, lastSeenAt: null }, error: null },
      { device: { name: 'a', enabled: true, tags: [], description: null, location: null }, error: null },
    ])
    const one = await call('query ($id: ID!) { device(id: $id) { name tags } }', { id: results[0]?.device?.id })
    expect(one.data).toEqual({ device: { name: 'b', tags: ['lte', 'indoor'] } })
    const tagged = await call('{ devices(filter: { tags: ["lte"] }) { data { name } totalCount } }')
    expect(tagged.data).toEqual({ devices: { data: [{ name: 'b' }], totalCount: 1 } })
    expect(await countedDevices(world, acme.id)).toBe(2)
  })

  it('records an audit event for each, equal to that of a single one', async ({ world, acme, call }) => {
    const input = { tags: ['lte'], location: { latitude: 1 } }
    await bulk(call, 'createDevices', [
      { name: 'a', ...input },
      { name: 'b', ...input },
    ])
    await call('mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }', {
      input: { name: 'c', ...input },
    })
    const [a, b, c] = await deviceEvents(world, acme.id)
    const named = (name: string) => ({
      ...c,
      subject: name,
      subjectId: expect.any(String),
      details: expect.stringMatching(/^device \w{26}$/),
      changes: c?.changes?.replace('"c"', `"${name}"`),
    })
    expect([a, b]).toEqual([named('a'), named('b')])
    expect(a?.subjectId).not.toBe(b?.subjectId)
  })

  it('500 in one call', async ({ world, acme, call }) => {
    const results = await bulk(call, 'createDevices', numbered(500))
    expect(inShort(results)).toEqual(numbered(500).map(({ name }) => name))
    expect(await storedDevices(world, acme.id)).toHaveLength(500)
    expect(await countedDevices(world, acme.id)).toBe(500)
    expect((await deviceEvents(world, acme.id)).map(({ subject }) => subject)).toEqual(
      numbered(500).map(({ name }) => name),
    )
  })

  it('none is an empty answer, and 501 are refused', async ({ call }) => {
    expect(await bulk(call, 'createDevices', [])).toEqual([])
    const { data, errors } = await call(
      'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { error { code } } } }',
      { inputs: numbered(501) },
    )
    expect([data, errors]).toEqual([
      { createDevices: null },
      [expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'inputs' })],
    ])
  })
})

/** The third is there already, the fourth repeats the first, the fifth and the sixth are invalid. */
const MIXED = [
  { name: 'new' },
  { name: 'other' },
  { name: 'there' },
  { name: 'new' },
  { name: ' ' },
  { name: 'far', location: { latitude: 91 } },
]
const REFUSED = ['CONFLICT name', 'CONFLICT name', 'BAD_USER_INPUT name', 'BAD_USER_INPUT location.latitude']

describe('an item that fails', () => {
  it('atomic: nothing is done, every failing item says why, and the others that they were not done', async ({
    world,
    acme,
    call,
  }) => {
    await bulk(call, 'createDevices', [{ name: 'there' }])
    const events = await deviceEvents(world, acme.id)
    const results = await bulk(call, 'createDevices', MIXED)
    expect(inShort(results)).toEqual(['NOT_APPLIED', 'NOT_APPLIED', ...REFUSED])
    expect(results[0]?.error?.message).toMatch(/another item/)
    expect(await names(call)).toEqual(['there'])
    expect(await countedDevices(world, acme.id)).toBe(1)
    expect(await deviceEvents(world, acme.id)).toEqual(events)
  })

  it('atomic: one that is invalid, whatever is in the database, is enough for nothing to be done', async ({ call }) => {
    const results = await bulk(call, 'createDevices', [{ name: 'new' }, { name: ' ' }])
    expect(inShort(results)).toEqual(['NOT_APPLIED', 'BAD_USER_INPUT name'])
    expect(await names(call)).toEqual([])
  })

  it('item by item: the others are done', async ({ world, acme, call }) => {
    await bulk(call, 'createDevices', [{ name: 'there' }])
    expect(inShort(await bulk(call, 'createDevices', MIXED, false))).toEqual(['new', 'other', ...REFUSED])
    expect(await names(call)).toEqual(['new', 'other', 'there'])
    expect(await countedDevices(world, acme.id)).toBe(3)
    expect((await deviceEvents(world, acme.id)).map(({ subject }) => subject)).toEqual(['there', 'new', 'other'])
  })

  it.for(['createDevices', 'upsertDevices'])(
    '%s: everything that is wrong with it is said at once',
    async (field, { call }) => {
      const wrong = { name: '', tags: [''], location: { latitude: 91, longitude: 181, timeZone: 'Mars' } }
      const answer = await call(
        `mutation ($inputs: [CreateDeviceInput!]!) {
        ${field}(inputs: $inputs, atomic: false) { results { error { field } errors { code field } } }
      }`,
        { inputs: [wrong, { name: 'there' }, { name: '' }] },
      )
      const { results } = (answer.data as Record<string, { results: { errors: { field: string }[] }[] }>)[field] ?? {}
      const fields = results?.map(({ errors }) => errors.map(({ field }) => field).sort())
      const ofLocation = ['location.latitude', 'location.longitude', 'location.timeZone']
      expect(fields).toEqual([[...ofLocation, 'name', 'tags'], [], ['name']])
      expect(results?.[0]).toMatchObject({ error: { field: results?.[0]?.errors[0]?.field } })
    },
  )
})

describe('the maximum number of devices', () => {
  const fill = ({ database }: World, organizationId: string, devices: number) =>
    database.transaction((db) =>
      db
        .insertInto('deviceCount')
        .values({ organizationId, devices })
        .onConflict((conflict) => conflict.column('organizationId').doUpdateSet({ devices }))
        .execute(),
    )
  const TAGGED = ['a', 'b', 'c'].map((name) => ({ name, tags: ['lte'] }))

  it.for([
    ['createDevices', true, ['NOT_APPLIED', 'NOT_APPLIED', 'LIMIT_EXCEEDED'], LIMITS.devices - 2],
    ['createDevices', false, ['a', 'b', 'LIMIT_EXCEEDED'], LIMITS.devices],
    ['upsertDevices', true, ['NOT_APPLIED', 'NOT_APPLIED', 'LIMIT_EXCEEDED'], LIMITS.devices - 2],
    ['upsertDevices', false, ['a', 'b', 'LIMIT_EXCEEDED'], LIMITS.devices],
  ] as const)('%s, atomic %s: %j', async ([field, atomic, expected, devices], { world, acme, call }) => {
    await fill(world, acme.id, LIMITS.devices - 2)
    expect(inShort(await bulk(call, field, TAGGED, atomic))).toEqual(expected)
    expect(await countedDevices(world, acme.id)).toBe(devices)
    expect((await storedDevices(world, acme.id)).map(({ name }) => name)).toEqual(atomic ? [] : ['a', 'b'])
    expect(await deviceEvents(world, acme.id)).toHaveLength(atomic ? 0 : 2)
  })
})
