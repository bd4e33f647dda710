import { isObjectType } from 'graphql'
import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import type { Call } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { schema } from '../endpoints/schema.ts'

const it = inWorld(startWorld).extend('id', { scope: 'file', auto: true }, async ({ call }) => {
  const { data } = await call('mutation { createDevice(input: { name: "edge-1", tags: ["lte"] }) { id } }')
  return (data as { createDevice: { id: string } }).createDevice.id
})

/** As a new document, and as a known one. */
async function threeTimes(call: Call, query: string): Promise<unknown[]> {
  const answers = [await call(query), await call(query), await call(query)]
  expect(answers.flatMap((answer) => answer.errors)).toEqual([])
  return answers.map((answer) => answer.data)
}

it.for([
  '{ devices { data { id tags } } }',
  '{ devices { data { ...Tags } } } fragment Tags on Device { tags }',
  '{ devices { data { id ... on Device { tags } } } }',
  '{ devices { ... on DeviceList { data { tags } } } }',
  '{ devices { ...All } } fragment All on DeviceList { data { tags } }',
  '{ devices { data { id } data { tags } } }',
  '{ devices { data { id } } devices { data { tags } } }',
  '{ devices { data { id } ... { data { tags } } } }',
  '{ devices { data { id } data @include(if: true) { tags @skip(if: false) } } }',
  '{ names: devices { data { id } } devices { data { tags } } }',
  'query ($yes: Boolean = true) { devices { data { id } } ... @include(if: $yes) { devices { data { tags } } } }',
])('requested fields are read, wherever they are in the document: %s', async (query, { call }) => {
  const data = [expect.objectContaining({ tags: ['lte'] })]
  const answer = expect.objectContaining({ devices: { data } })
  expect(await threeTimes(call, query)).toEqual([answer, answer, answer])
})

const deviceType = schema.getType('Device')
const FIELDS = isObjectType(deviceType) ? Object.keys(deviceType.getFields()) : []
const WRITTEN: Record<string, string> = {
  location: 'location { name latitude }',
  checkInDays: 'checkInDays { firstAt checkIns }',
}
const written = (field: string) => WRITTEN[field] ?? field

it.for(FIELDS)('%s is the same alone as among all fields', async (field, { call, id }) => {
  const location = '{ name: "Hamburg", latitude: 53.5 }'
  const input = `{ description: "Gate", firmwareVersion: "1.2", enabled: false, location: ${location} }`
  await call(`mutation { updateDevice(id: "${id}", input: ${input}) { id } checkInDevice(id: "${id}") { id } }`)
  const ofAll = await call(`{ devices { data { ${FIELDS.map(written).join(' ')} } } }`)
  const alone = await threeTimes(call, `{ devices { data { ${written(field)} } } }`)

  const [device = {}] = (ofAll.data as { devices: { data: Record<string, unknown>[] } }).devices.data
  expect(device[field]).not.toBeNull()
  const answer = { devices: { data: [{ [field]: device[field] }] } }
  expect(alone).toEqual([answer, answer, answer])
})

it.for([
  '{ devices(first: 1) { pageInfo { endCursor } } }',
  '{ devices(first: 1) { data { name } pageInfo { hasNextPage endCursor } } }',
  '{ devices(first: 1) { ...Page } } fragment Page on DeviceList { pageInfo { endCursor } }',
])('a requested cursor is complete: %s', async (query, { call, id }) => {
  for (const data of await threeTimes(call, query)) {
    const { endCursor: after } = (data as { devices: { pageInfo: { endCursor: string } } }).devices.pageInfo
    expect(await call('query ($after: String) { devices(after: $after) { data { name } } }', { after })).toMatchObject({
      data: { devices: { data: [] } },
    })
    expect(JSON.parse(Buffer.from(after, 'base64url').toString())).toEqual(['edge-1', id])
  }
})

it('names alone are read under any alias, with __typename', async ({ call, id }) => {
  const rows = [{ key: id, name: 'edge-1', __typename: 'Device' }]
  const answer = { devices: { rows, totalCount: 1, __typename: 'DeviceList' } }
  const query = '{ devices { rows: data { key: id name __typename } totalCount __typename } }'
  expect(await threeTimes(call, query)).toEqual([answer, answer, answer])
})
