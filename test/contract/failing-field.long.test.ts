import { expect } from 'vitest'
import { inWorld } from '../support/world/fixtures.ts'
import { startWorld } from '../support/world/world.ts'

const CREATE_BOTH = `mutation ($taken: String!, $free: String!) {
  first: createDevice(input: { name: $taken }) { name }
  second: createDevice(input: { name: $free }) { name }
}`

const it = inWorld(startWorld)

// Everything is asked twice: a known document has to answer as a new one does.

it('C4: a mutation that fails keeps the answer of the one beside it, and is one error with its path', async ({
  call,
}) => {
  await call('mutation { createDevice(input: { name: "taken" }) { id } }')
  for (const free of ['first', 'second']) {
    const { status, data, errors } = await call(CREATE_BOTH, { taken: 'taken', free })
    expect({ status, data }).toEqual({ status: 200, data: { first: null, second: { name: free } } })
    expect(errors).toHaveLength(1)
    expect(errors).toMatchObject([{ code: 'CONFLICT', path: ['first'], extensions: { requestId: expect.any(String) } }])
  }
  const { data } = await call('{ devices { data { name } } }')
  expect(data).toEqual({ devices: { data: [{ name: 'first' }, { name: 'second' }, { name: 'taken' }] } })
})

it.for<[string, string, string, object]>([
  [
    'of one object leaves the rest',
    '{ device(id: "none") { id } viewer { role } }',
    'device',
    { device: null, viewer: { role: 'ADMIN' } },
  ],
  [
    'of a list leaves the rest',
    '{ devices(first: 0) { data { id } } viewer { role } }',
    'devices',
    { devices: null, viewer: { role: 'ADMIN' } },
  ],
])('C4: a refused field %s', async ([_case, query, path, expected], { call }) => {
  for (let sighting = 0; sighting < 2; sighting++) {
    const { status, data, errors } = await call(query)
    expect({ status, data, paths: errors.map((error) => error.path) }).toEqual({
      status: 200,
      data: expected,
      paths: [[path]],
    })
  }
})
