import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

const CREATE_BOTH = `mutation ($taken: String!, $free: String!) {
  first: createDevice(input: { name: $taken }) { name }
  second: createDevice(input: { name: $free }) { name }
}`

let world: World
let key: ReturnType<World['asKey']>
beforeAll(async () => {
  world = await startWorld()
  const ada = await world.signUp('Ada')
  const acme = await world.organization('Acme', { admin: ada })
  key = world.asKey((await world.generateKey(ada, acme)).secret)
})
afterAll(() => world.close())

// Everything is asked twice: a document that comes a second time is compiled, and has to answer the same.

it('C4: a mutation that fails leaves the answer of the one beside it, and is one error with its path', async () => {
  await key.call('mutation { createDevice(input: { name: "taken" }) { id } }')
  for (const free of ['first', 'second']) {
    const { status, data, errors } = await key.call(CREATE_BOTH, { taken: 'taken', free })
    expect({ status, data }).toEqual({ status: 200, data: { first: null, second: { name: free } } })
    expect(errors).toHaveLength(1)
    expect(errors).toMatchObject([{ code: 'CONFLICT', path: ['first'], extensions: { requestId: expect.any(String) } }])
  }
  const { data } = await key.call('{ devices { data { name } } }')
  expect(data).toEqual({ devices: { data: [{ name: 'first' }, { name: 'second' }, { name: 'taken' }] } })
})

it.each([
  [
    'that may be null leaves the rest',
    '{ device(id: "none") { id } viewer { role } }',
    'device',
    { device: null, viewer: { role: 'ADMIN' } },
  ],
  [
    'that is never null takes all data with it',
    '{ devices(first: 0) { data { id } } viewer { role } }',
    'devices',
    null,
  ],
])('C4: a refused field %s', async (_case, query, path, expected) => {
  for (let sighting = 0; sighting < 2; sighting++) {
    const { status, data, errors } = await key.call(query)
    expect({ status, data, paths: errors.map((error) => error.path) }).toEqual({
      status: 200,
      data: expected,
      paths: [[path]],
    })
  }
})
