import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import type { Call } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { MINUTE } from '../lib/clock.ts'
import { DEVICE_STATUSES } from './device-status.ts'

const it = inWorld(startWorld).extend('call', async ({ world, key }) => {
  const { call } = world.asKey(key.secret)
  await call('mutation { createDevice(input: { name: "always silent" }) { id } }')
  return call
})

async function newDevice(call: Call, name: string): Promise<string> {
  const { data } = await call('mutation ($name: String!) { createDevice(input: { name: $name }) { id } }', { name })
  return (data as { createDevice: { id: string } }).createDevice.id
}

const checkIn = (call: Call, id: string) => call('mutation ($id: ID!) { checkInDevice(id: $id) { id } }', { id })

/** What the device itself says, and which of the filters find it. */
async function statusOf(call: Call, id: string): Promise<{ said: string; found: string[] }> {
  const { data } = await call('query ($id: ID!) { device(id: $id) { status } }', { id })
  const found: string[] = []
  for (const status of DEVICE_STATUSES) {
    const query = 'query ($filter: DeviceFilter) { devices(filter: $filter) { data { id status } totalCount } }'
    const { data } = await call(query, { filter: { status } })
    const { devices } = data as { devices: { data: { id: string; status: string }[]; totalCount: number } }
    expect(devices.data.every((device) => device.status === status)).toBe(true)
    expect(devices.totalCount).toBe(devices.data.length)
    if (devices.data.some((device) => device.id === id)) found.push(status)
  }
  return { said: (data as { device: { status: string } }).device.status, found }
}

const only = (status: string) => ({ said: status, found: [status] })

it('a device is NEVER_SEEN until it checks in, ONLINE for five minutes, then OFFLINE, and the filter agrees', async ({
  world,
  call,
}) => {
  const id = await newDevice(call, 'edge-1')
  expect(await statusOf(call, id)).toEqual(only('NEVER_SEEN'))
  world.clock.advance(10 * MINUTE)
  expect(await statusOf(call, id)).toEqual(only('NEVER_SEEN'))

  await checkIn(call, id)
  expect(await statusOf(call, id)).toEqual(only('ONLINE'))
  world.clock.advance(5 * MINUTE)
  expect(await statusOf(call, id)).toEqual(only('ONLINE'))
  world.clock.advance(1)
  expect(await statusOf(call, id)).toEqual(only('OFFLINE'))

  await checkIn(call, id)
  expect(await statusOf(call, id)).toEqual(only('ONLINE'))
})

it('a list by status is ordered by name and paged', async ({ world, call }) => {
  world.clock.advance(10 * MINUTE)
  for (const name of ['c', 'a', 'b']) {
    await checkIn(call, await newDevice(call, name))
    world.clock.advance(1000)
  }
  const query = `query ($after: String) {
    devices(first: 2, after: $after, filter: { status: ONLINE }) { data { name } pageInfo { endCursor } totalCount }
  }`
  const first = await call(query)
  expect(first.data).toMatchObject({ devices: { data: [{ name: 'a' }, { name: 'b' }], totalCount: 3 } })
  const { devices } = first.data as { devices: { pageInfo: { endCursor: string } } }
  const second = await call(query, { after: devices.pageInfo.endCursor })
  expect(second.data).toMatchObject({ devices: { data: [{ name: 'c' }] } })
})

it('a check-in with a time in the future counts as online', async ({ world, call }) => {
  const id = await newDevice(call, 'ahead')
  await checkIn(call, id)
  world.clock.advance(-MINUTE)
  expect(await statusOf(call, id)).toEqual(only('ONLINE'))
  world.clock.advance(MINUTE)
})
