import { afterAll, beforeAll, expect, it } from 'vitest'
import { mintSecret } from '../../server/lib/secret.ts'
import { fleetOf } from '../support/fleet.ts'
import { type CountedWay, countRoundTrips } from '../support/round-trips.ts'
import { newStorage, type Storage } from '../support/storage.ts'
import { type Person, startWorld, type TestOrganization, type World } from '../support/world.ts'

const DEVICES = '{ devices(first: 20) { data { id name } } }'
const TIMES = 5

let storage: Storage
let way: CountedWay
let world: World
let ada: Person
let acme: TestOrganization
let secret: string
let deviceId: string

beforeAll(async () => {
  storage = await newStorage()
  way = await countRoundTrips(storage.env['DATABASE_URL'] ?? '')
  world = await startWorld({ beside: { storage }, env: { DATABASE_URL: way.url } })
  ada = await world.signUp('Ada')
  acme = await world.organization('Acme', { admin: ada })
  secret = (await world.generateKey(ada, acme)).secret
  deviceId = await fleetOf(acme).add({ name: 'edge-1', tags: ['lte'] })
})

afterAll(async () => {
  await world.close()
  await way.close()
  await storage.remove()
})

/** Of a call that was made before: the usual number, since what was last used is written now and then beside it. */
async function roundTripsOf(call: () => Promise<unknown>): Promise<number | undefined> {
  for (let i = 0; i < TIMES; i++) await call() // by now its queries are known to the server on every connection
  const counts: number[] = []
  for (let i = 0; i < TIMES; i++) {
    const before = way.roundTrips()
    await call()
    counts.push(way.roundTrips() - before)
  }
  return counts.sort((a, b) => a - b)[Math.floor(TIMES / 2)]
}

it.each<[string, string, number]>([
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
  async (_name, query, expected) => {
    const { call } = world.asKey(secret)
    expect(await roundTripsOf(() => call(query, { id: deviceId }))).toBe(expected)
  },
)

it('a session is looked up in one round trip too, in any organization', async () => {
  expect(await roundTripsOf(() => ada.call(DEVICES, {}, acme.slug))).toBe(2)
  expect(await roundTripsOf(() => ada.call(DEVICES))).toBe(2)
})

it('P4: a malformed key costs no round trip, an unknown one only the lookup', async () => {
  const unknown = mintSecret('emp_')
  expect(await roundTripsOf(() => world.asKey(`${unknown}x`).call(DEVICES))).toBe(0)
  expect(await roundTripsOf(() => world.nobody().call(DEVICES))).toBe(0)
  expect(await roundTripsOf(() => world.asKey(unknown).call(DEVICES))).toBe(1)
})
