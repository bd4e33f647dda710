import { StatementSync } from 'node:sqlite'
import { expect, vi } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { byKey, dataOf } from '../../test/support/world/keyed-calls.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = inOrganization(startWorld)

const RESULTS = '{ results { device { id } } }'
const CREATE = `mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) ${RESULTS} }`
const UPDATE = `mutation ($inputs: [UpdateDevicesInput!]!) { updateDevices(inputs: $inputs) ${RESULTS} }`
/** In characters: of one device with its ids and change, or of a hundred ids. */
const LONGEST = 10_000

const inputs = (character: string) =>
  Array.from({ length: 100 }, (_, i) => ({ name: `edge-${i}`, description: character.repeat(1_000) }))

it('long texts of many devices are given to SQLite one by one, and never written as JSON of all of them', async ({
  world,
  key,
}) => {
  const asKey = byKey(world, key.secret)
  const given: unknown[] = []
  const spies = (['run', 'all'] as const).map((name) => {
    const real = StatementSync.prototype[name]
    return vi.spyOn(StatementSync.prototype, name).mockImplementation(function (this: StatementSync, ...values) {
      given.push(...values)
      return Reflect.apply(real, this, values)
    })
  })
  const created = await asKey({ query: CREATE, variables: { inputs: inputs('a') } })
  const { results } = dataOf<{ results: { device: { id: string } }[] }>(created)
  const changes = inputs('b').map((input, i) => ({ ...input, id: results[i]?.device.id }))
  await asKey({ query: UPDATE, variables: { inputs: changes } })
  for (const spy of spies) spy.mockRestore()
  const lengths = given.map((value) => String(value).length)
  expect(given.filter((value) => value === 'b'.repeat(1_000))).toHaveLength(100)
  expect(Math.max(...lengths)).toBeLessThan(LONGEST)
})
