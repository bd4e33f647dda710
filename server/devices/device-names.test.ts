import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answer } from '../../test/support/http.ts'
import { startWorld, type World } from '../../test/support/world.ts'

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

/** As it comes, compiled at the second sighting, and compiled before. */
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
])('more than names is read when more is asked for: %s', async (query) => {
  const data = [expect.objectContaining({ tags: ['lte'] })]
  const answer = expect.objectContaining({ devices: { data } })
  expect(await threeTimes(query)).toEqual([answer, answer, answer])
})

it('names alone are read under any alias, with the name of their type', async () => {
  const rows = [{ key: id, name: 'edge-1', __typename: 'Device' }]
  const answer = { devices: { rows, totalCount: 1, __typename: 'DeviceList' } }
  const query = '{ devices { rows: data { key: id name __typename } totalCount __typename } }'
  expect(await threeTimes(query)).toEqual([answer, answer, answer])
})
