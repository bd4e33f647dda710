import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { type Call, codesOf, fieldOf } from '../../test/support/world/people.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { DAY, HOUR, MINUTE } from '../lib/clock.ts'

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
const ONE =
  'mutation ($id: ID!, $firmware: String) { checkInDevice(id: $id, input: { firmwareVersion: $firmware }) { id } }'
const MANY =
  'mutation ($inputs: [CheckInDevicesInput!]!) { checkInDevices(inputs: $inputs) { results { error { code } } } }'
const DAYS = 'query ($id: ID!) { device(id: $id) { checkInDays { firstAt lastAt checkIns } } }'

interface Day {
  firstAt: string
  lastAt: string
  checkIns: number
}

const it = inOrganization(startWorld)
  .extend('call', ({ world, key }) => world.asKey(key.secret).call)
  .extend('id', async ({ call }) => fieldOf<{ id: string }>(await call(CREATE, { name: 'edge-1' })).id)

const daysOf = async (call: Call, id: string) => fieldOf<{ checkInDays: Day[] }>(await call(DAYS, { id })).checkInDays
const iso = (at: number) => new Date(at).toISOString()

const many = async (call: Call, ...ids: string[]) => {
  const { errors } = await call(MANY, { inputs: ids.map((id) => ({ id })) })
  expect(errors).toEqual([])
}

const stored = async ({ database }: World, id: string) =>
  (await database.read.selectFrom('deviceCheckIns').select('days').where('deviceId', '=', id).execute()).map(
    ({ days }) => JSON.parse(days) as unknown[],
  )

/** To an hour before the end of the day. */
const toEvening = ({ clock }: World) => clock.advance(DAY - (clock.now() % DAY) - HOUR)

it('check-ins are counted by day of UTC, with the first and the last, one by one and many at once', async ({
  world,
  call,
  id,
}) => {
  const { clock } = world
  expect(await daysOf(call, id)).toEqual([])
  toEvening(world)
  const first = clock.now()
  await call(ONE, { id })
  clock.advance(10 * MINUTE)
  await many(call, id)
  clock.advance(10 * MINUTE)
  await call(ONE, { id, firmware: '2' })
  const evening = { firstAt: iso(first), lastAt: iso(clock.now()), checkIns: 3 }
  expect(await daysOf(call, id)).toEqual([evening])
  expect(await stored(world, id)).toEqual([])
  clock.advance(HOUR)
  expect(await daysOf(call, id)).toEqual([evening])
  const next = { firstAt: iso(clock.now()), lastAt: iso(clock.now()), checkIns: 1 }
  await call(ONE, { id })
  expect(await daysOf(call, id)).toEqual([evening, next])
  await many(call, id)
  expect(await daysOf(call, id)).toEqual([evening, { ...next, checkIns: 2 }])
})

it.for(['ONE', 'MANY', 'ONE with firmware'])(
  'the last 30 days are stored, whatever ends a day: %s',
  async (how, { world, call, id }) => {
    const checkIn = (day: number) =>
      how === 'MANY' ? many(call, id) : call(ONE, { id, firmware: how === 'ONE' ? null : `${day}` })
    const start = world.clock.now()
    for (let day = 0; day < 35; day++) {
      await checkIn(day)
      world.clock.advance(DAY)
    }
    const days = await daysOf(call, id)
    expect(days.map(({ firstAt }) => (Date.parse(firstAt) - start) / DAY)).toEqual(
      Array.from({ length: 29 }, (_, i) => i + 6),
    )
    expect((await stored(world, id))[0]).toHaveLength(29) // the current one is in the device
    world.clock.advance(60 * DAY)
    expect(await daysOf(call, id)).toEqual([])
  },
)

it('check-ins at the same time end a day once, and each counts', async ({ world, call, id }) => {
  toEvening(world)
  world.clock.advance(HOUR - MINUTE)
  await call(ONE, { id })
  world.clock.advance(2 * MINUTE) // it was online all the time
  await Promise.all(Array.from({ length: 12 }, (_, i) => (i % 4 === 0 ? many(call, id) : call(ONE, { id }))))
  expect((await daysOf(call, id)).map(({ checkIns }) => checkIns)).toEqual([1, 12])
})

it('the days of a device are deleted with it, and nobody else sees them', async ({ world, ada, call, id }) => {
  const other = await world.organization('Other', { admin: ada })
  const { secret } = await other.generateKey()
  await call(ONE, { id })
  world.clock.advance(DAY)
  await call(ONE, { id })
  expect(codesOf(await world.asKey(secret).call(DAYS, { id }))).toEqual(['NOT_FOUND'])
  expect(await stored(world, id)).toHaveLength(1)
  await call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id })
  expect(await stored(world, id)).toEqual([])
})

it('a day on which an older version checked the device in ends where its counts end', async ({ world, call, id }) => {
  toEvening(world)
  const first = world.clock.now()
  await call(ONE, { id })
  world.clock.advance(2 * HOUR)
  const older = { lastSeenAt: world.clock.now() }
  await world.database.transaction((db) => db.updateTable('device').set(older).where('id', '=', id).execute())
  await call(ONE, { id })
  const [before, today] = await daysOf(call, id)
  expect(before).toEqual({ firstAt: iso(first), lastAt: iso(first + HOUR - 1), checkIns: 1 })
  expect(today).toMatchObject({ checkIns: 1 })
})
