import { expect } from 'vitest'
import { mintSecret } from '../../server/secrets/secret.ts'
import { startWorldBy } from '../support/postgres/postgres-way.ts'
import { type CountedWay, countRoundTrips } from '../support/postgres/round-trips.ts'
import { inWorld } from '../support/world/fixtures.ts'
import { fleetOf } from '../support/world/fleet.ts'

const DEVICES = '{ devices(first: 20) { data { id name } } }'
const TIMES_BEFORE = 5
const TIMES = 20

const it = inWorld(() => startWorldBy(countRoundTrips))
  .extend('deviceId', { scope: 'file' }, ({ acme }) => fleetOf(acme).add({ name: 'edge-1', tags: ['lte'] }))
  .extend(
    'roundTripsOf',
    ({ world }) =>
      (call: () => Promise<unknown>) =>
        roundTripsOf(world.way, call),
  )

/** Round trips of a repeated call: the lowest number, since background work and new connections add their own. */
async function roundTripsOf(way: CountedWay, call: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < TIMES_BEFORE; i++) await call() // most of its queries are known to the server by now
  const counts: number[] = []
  for (let i = 0; i < TIMES; i++) {
    const before = way.roundTrips()
    await call()
    counts.push(way.roundTrips() - before)
  }
  return Math.min(...counts)
}

it.for<[string, string, number]>([
  ['a page of devices', DEVICES, 2],
  ['a page of devices with a tag', '{ devices(filter: { tags: ["lte"] }) { data { id name tags } } }', 2],
  ['devices, counted', '{ devices(first: 20) { data { id } totalCount } }', 3],
  ['a device', 'query ($id: ID!) { device(id: $id) { name status } }', 2],
  ['keys', '{ apiKeys { data { id label } } }', 2],
  ['the audit log', '{ auditEvents { data { action } } }', 2],
  ['who is calling', '{ viewer { role organization { name } } }', 2],
  ['nothing at all', '{ __typename }', 1],
])(
  'K10: a key is looked up in one round trip, and its operation takes no more than needed: %s',
  async ([_name, query, expected], { call, deviceId, roundTripsOf }) => {
    expect(await roundTripsOf(() => call(query, { id: deviceId }))).toBe(expected)
  },
)

it('a session is looked up in one round trip too, in any organization', async ({ ada, acme, roundTripsOf }) => {
  expect(await roundTripsOf(() => acme.call(DEVICES))).toBe(2)
  expect(await roundTripsOf(() => ada.call(DEVICES))).toBe(2)
})

it('P4: a malformed key costs no round trip, an unknown one only the lookup', async ({ world, roundTripsOf }) => {
  const unknown = mintSecret('emp_')
  expect(await roundTripsOf(() => world.asKey(`${unknown}x`).call(DEVICES))).toBe(0)
  expect(await roundTripsOf(() => world.nobody().call(DEVICES))).toBe(0)
  expect(await roundTripsOf(() => world.asKey(unknown).call(DEVICES))).toBe(1)
})

it.for<[string, (time: number) => object, number]>([
  ['a change', (time) => ({ description: `in ${time}` }), 3],
  ['other tags', (time) => ({ tags: [`in-${time}`] }), 6],
  ['another name', (time) => ({ name: `edge-${time}` }), 6],
  ['no change', () => ({ enabled: true }), 3],
])(
  'a device is locked in the round trip that authorizes its change: %s',
  async ([_name, input, expected], { call, deviceId: id, roundTripsOf }) => {
    const query = 'mutation ($id: ID!, $input: UpdateDeviceInput!) { updateDevice(id: $id, input: $input) { id } }'
    let time = 0
    expect(await roundTripsOf(() => call(query, { id, input: input(++time) }))).toBe(expected)
  },
)
