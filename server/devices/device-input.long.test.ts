import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import type { Call } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = inWorld(startWorld).extend('id', { scope: 'file', auto: true }, async ({ call }) => {
  const { data } = await create(call, { name: 'edge-1' })
  return (data as { createDevice: { id: string } }).createDevice.id
})

const create = (call: Call, input: object) =>
  call('mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }', { input })

const update = (call: Call, id: string, input: object) =>
  call(
    `mutation ($id: ID!, $input: UpdateDeviceInput!) {
      updateDevice(id: $id, input: $input) { description firmwareVersion tags location { name latitude timeZone } }
    }`,
    { id, input },
  )

const long = (length: number) => 'ü'.repeat(length)
const tags = (count: number) => Array.from({ length: count }, (_, i) => `tag-${i}`)

const BAD: [field: string, input: object][] = [
  ['name', { name: '' }],
  ['name', { name: ' \t ' }],
  ['name', { name: long(81) }],
  ['name', { name: 'a\u0000b' }],
  ['name', { name: 'two\nlines' }],
  ['name', { name: 'half \ud800 a pair' }],
  ['description', { description: long(1001) }],
  ['description', { description: 'a\u0007b' }],
  ['description', { description: '' }],
  ['description', { description: ' one' }],
  ['description', { description: 'one\n' }],
  ['description', { description: 'one\r\ntwo' }],
  ['description', { description: 'cafe\u0301' }],
  ['name', { name: ' edge-3' }],
  ['name', { name: 'edge-3\u00a0' }],
  ['name', { name: 'cafe\u0301' }],
  ['firmwareVersion', { firmwareVersion: '1\n' }],
  ['tags', { tags: ['ok', ' b'] }],
  ['tags', { tags: ['cafe\u0301'] }],
  ['tags', { tags: ['a', 'b', 'a'] }],
  ['location.name', { location: { name: '' } }],
  ['location.address', { location: { address: 'Rome ' } }],
  ['firmwareVersion', { firmwareVersion: '' }],
  ['firmwareVersion', { firmwareVersion: long(81) }],
  ['firmwareVersion', { firmwareVersion: '1\u001b' }],
  ['tags', { tags: tags(21) }],
  ['tags', { tags: ['ok', ' '] }],
  ['tags', { tags: [long(41)] }],
  ['tags', { tags: ['a\u0000'] }],
  ['location.name', { location: { name: long(201) } }],
  ['location.name', { location: { name: 'a\u0000' } }],
  ['location.address', { location: { address: long(201) } }],
  ['location.latitude', { location: { latitude: 91 } }],
  ['location.latitude', { location: { latitude: -90.000001 } }],
  ['location.longitude', { location: { longitude: 180.5 } }],
  ['location.longitude', { location: { longitude: -181 } }],
  ['location.timeZone', { location: { timeZone: 'Mars/Olympus' } }],
  ['location.timeZone', { location: { timeZone: '' } }],
  ['location.timeZone', { location: { timeZone: 'Europe/Berlin\u0000' } }],
]

describe('an invalid value is refused with the name of its field', () => {
  it.for(BAD)('%s: %j', async ([field, input], { world, call, id }) => {
    const refused = [expect.objectContaining({ code: 'BAD_USER_INPUT', field })]
    const before = await world.database.read.selectFrom('device').selectAll().execute()
    const answers = [await create(call, { name: 'edge-2', ...input }), await update(call, id, input)]
    expect(answers.map((answer) => answer.errors)).toEqual([refused, refused])
    expect(await world.database.read.selectFrom('device').selectAll().execute()).toEqual(before)
  })

  it('firmwareVersion of a check-in', async ({ call, id }) => {
    const query = 'mutation ($id: ID!, $input: CheckInDeviceInput) { checkInDevice(id: $id, input: $input) { id } }'
    for (const firmwareVersion of ['', long(81), '\u0000']) {
      const { errors } = await call(query, { id, input: { firmwareVersion } })
      expect(errors).toMatchObject([{ code: 'BAD_USER_INPUT', field: 'firmwareVersion' }])
    }
  })

  it('the refusal does not repeat the value', async ({ call }) => {
    const { errors } = await create(call, { name: 'edge-2', location: { timeZone: 'Mars/Olympus' } })
    expect(JSON.stringify(errors)).not.toContain('Mars')
  })

  it.for<[string, object]>([
    ['input.name', { name: 1 }],
    ['input.tags[0]', { tags: [{}] }],
    ['input.tags[1]', { tags: ['a', null] }],
    ['input.location.latitude', { location: { latitude: 'north' } }],
    ['colour', { colour: 'red' }],
  ])('%s that does not match the schema is named in the message: %j', async ([place, input], { call }) => {
    const { data, errors } = await create(call, { name: 'edge-2', ...input })
    expect(data ?? null).toBeNull()
    expect(errors).toMatchObject([{ code: 'BAD_USER_INPUT', message: expect.stringContaining(place) }])
  })
})

describe('a value at the limit is accepted', () => {
  it.for<[object, object]>([
    [{ description: long(1000) }, { description: long(1000) }],
    [{ description: 'one\n\ttwo' }, { description: 'one\n\ttwo' }],
    [{ description: null }, { description: null }],
    [{ firmwareVersion: long(80) }, { firmwareVersion: long(80) }],
    [{ tags: tags(20) }, { tags: tags(20) }],
    [{ tags: ['b', 'a', 'B', long(40)] }, { tags: ['b', 'a', 'B', long(40)] }],
    [
      { location: { name: long(200), latitude: -90 } },
      { location: { name: long(200), latitude: -90, timeZone: null } },
    ],
    [{ location: { latitude: 90, timeZone: 'UTC' } }, { location: { name: null, latitude: 90, timeZone: 'UTC' } }],
    [{ location: { latitude: 0 } }, { location: { name: null, latitude: 0, timeZone: null } }],
  ])('%j', async ([input, stored], { call, id }) => {
    expect(await update(call, id, input)).toMatchObject({ errors: [], data: { updateDevice: stored } })
  })
})
