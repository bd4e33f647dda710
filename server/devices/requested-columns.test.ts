import { isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answer } from '../../test/support/http.ts'
import { startWorld, type World } from '../../test/support/world.ts'
import { schema } from '../schema.ts'

let world: World
let call: (query: string, variables?: object) => Promise<Answer>
let id: string

beforeAll(async () => {
  world = await startWorld()
  const ada = await world.signUp('Ada')
  const acme = await world.organization('Acme', { admin: ada })
  call = world.asKey((await world.generateKey(ada, acme)).secret).call
  const { data } = await call('mutation { createDevice(input: { name: "edge-1", tags: ["lte"] }) { id } }')
  id = (data as { createDevice: { id: string } }).createDevice.id
})

afterAll(() => world.close())

/** As it comes, compiled at its second use, and compiled before. */
async function threeTimes(query: string): Promise<unknown[]> {
  const answers = [await call(query), await call(query), await call(query)]
  expect(answers.flatMap((answer) => answer.errors)).toEqual([])
  return answers.map((answer) => answer.data)
}

it.each([
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
])('what is asked for is read, wherever it stands: %s', async (query) => {
  const data = [expect.objectContaining({ tags: ['lte'] })]
  const answer = expect.objectContaining({ devices: { data } })
  expect(await threeTimes(query)).toEqual([answer, answer, answer])
})

const deviceType = schema.getType('Device')
const FIELDS = isObjectType(deviceType) ? Object.keys(deviceType.getFields()) : []
const written = (field: string) => (field === 'location' ? 'location { name latitude }' : field)

it.each(FIELDS)('%s is the same alone as among all fields', async (field) => {
  const location = '{ name: "Hamburg", latitude: 53.5 }'
  const input = `{ description: "Gate", firmwareVersion: "1.2", enabled: false, location: ${location} }`
  await call(`mutation { updateDevice(id: "${id}", input: ${input}) { id } checkInDevice(id: "${id}") { id } }`)
  const ofAll = await call(`{ devices { data { ${FIELDS.map(written).join(' ')} } } }`)
  const alone = await threeTimes(`{ devices { data { ${written(field)} } } }`)

  const [device = {}] = (ofAll.data as { devices: { data: Record<string, unknown>[] } }).devices.data
  expect(device[field]).not.toBeNull()
  const answer = { devices: { data: [{ [field]: device[field] }] } }
  expect(alone).toEqual([answer, answer, answer])
})

it.each([
  '{ devices(first: 1) { pageInfo { endCursor } } }',
  '{ devices(first: 1) { data { name } pageInfo { hasNextPage endCursor } } }',
  '{ devices(first: 1) { ...Page } } fragment Page on DeviceList { pageInfo { endCursor } }',
])('a cursor that is asked for is a whole one: %s', async (query) => {
  for (const data of await threeTimes(query)) {
    const { endCursor: after } = (data as { devices: { pageInfo: { endCursor: string } } }).devices.pageInfo
    expect(await call('query ($after: String) { devices(after: $after) { data { name } } }', { after })).toMatchObject({
      data: { devices: { data: [] } },
    })
    expect(JSON.parse(Buffer.from(after, 'base64url').toString())).toEqual(['edge-1', id])
  }
})

it('names alone are read under any alias, with the name of their type', async () => {
  const rows = [{ key: id, name: 'edge-1', __typename: 'Device' }]
  const answer = { devices: { rows, totalCount: 1, __typename: 'DeviceList' } }
  const query = '{ devices { rows: data { key: id name __typename } totalCount __typename } }'
  expect(await threeTimes(query)).toEqual([answer, answer, answer])
})
