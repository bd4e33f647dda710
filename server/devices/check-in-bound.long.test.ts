import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf, fieldOf } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = inOrganization(startWorld).extend('devices', async ({ acme }) => {
  const create = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
  const made = [await acme.call(create, { name: 'edge-1' }), await acme.call(create, { name: 'edge-2' })]
  return made.map((answer) => fieldOf<{ id: string }>(answer).id)
})

const CHECK_IN =
  'mutation ($id: ID, $firmware: String) { checkInDevice(id: $id, input: { firmwareVersion: $firmware }) { id status firmwareVersion } }'

it('C10: a key that is bound to a device checks it in without naming it, and no other', async ({
  world,
  acme,
  devices,
}) => {
  const [deviceId = '', other] = devices
  const { call } = world.asKey((await acme.generateKey({ access: 'CHECK_IN', deviceId })).secret)
  for (let time = 0; time < 3; time++) {
    // from the second time on it is compiled
    const checkedIn = { id: deviceId, status: 'ONLINE', firmwareVersion: `${time}` }
    expect(fieldOf(await call(CHECK_IN, { firmware: `${time}` }))).toEqual(checkedIn)
    expect(fieldOf(await call(CHECK_IN, { id: null, firmware: `${time}` }))).toEqual(checkedIn)
    expect(fieldOf(await call('mutation { checkInDevice { id } }'))).toEqual({ id: deviceId })
  }
  expect(codesOf(await call(CHECK_IN, { id: other }))).toEqual(['FORBIDDEN'])
  expect(codesOf(await call(CHECK_IN, { id: '' }))).toEqual(['FORBIDDEN'])
  const { data } = await acme.call('query ($id: ID!) { device(id: $id) { status } }', { id: other })
  expect(data).toEqual({ device: { status: 'NEVER_SEEN' } })
})

it('every other caller names the device', async ({ world, acme, key }) => {
  const unbound = await acme.generateKey({ access: 'CHECK_IN' })
  for (const call of [acme.call, world.asKey(key.secret).call, world.asKey(unbound.secret).call]) {
    expect((await call(CHECK_IN)).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field: 'id' }])
  }
})

it('of a device that is gone it is NOT_FOUND', async ({ world, acme, devices }) => {
  const [deviceId = ''] = devices
  const { call } = world.asKey((await acme.generateKey({ access: 'CHECK_IN', deviceId })).secret)
  await acme.call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id: deviceId })
  expect(codesOf(await call(CHECK_IN))).toEqual(['NOT_FOUND'])
})
