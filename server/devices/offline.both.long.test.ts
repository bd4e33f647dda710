import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { fieldOf } from '../../test/support/world/people.ts'
import { setBytes } from '../../test/support/world/stored-bytes.ts'
import { startWebhookWorld } from '../../test/support/world/webhook-world.ts'
import { payloadOf, webhooksAs } from '../../test/support/world/webhooks.ts'
import { LIMITS } from '../config/limits.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { reportOffline } from './offline.ts'

const it = inOrganization(() => startWebhookWorld())
  .extend('hooks', ({ acme }) => webhooksAs(acme.call))
  .extend('fleet', async ({ world, acme, hooks }) => {
    const events = ['DEVICE_OFFLINE', 'DEVICE_ONLINE']
    let webhook: { id: string } | undefined
    const call = async (query: string, variables: object) => fieldOf<{ id: string }>(await acme.call(query, variables))
    return {
      watch: async () => {
        webhook = (await hooks.create({ events })).webhook
        return webhook.id
      },
      add: async (name: string) =>
        (await call('mutation ($name: String!) { createDevice(input: { name: $name }) { id } }', { name })).id,
      checkIn: (id: string, firmwareVersion?: string) =>
        call('mutation ($id: ID!, $v: String) { checkInDevice(id: $id, input: { firmwareVersion: $v }) { id } }', {
          id,
          v: firmwareVersion,
        }),
      /** What was reported, in the order of versions. */
      reported: async () => {
        await world.fanOut()
        return (await hooks.deliveries(webhook?.id ?? ''))
          .map(payloadOf)
          .sort((a, b) => a.data.version - b.data.version)
          .map(({ type, timestamp, data }) => `${data.object.name} ${type} at ${timestamp.slice(11, 19)}`)
      },
    }
  })

const timeOf = (at: number) => new Date(at).toISOString().slice(11, 19)

describe('webhooks are notified once', () => {
  it('that a device went offline, however often and by however many jobs that is looked for', async ({
    world,
    fleet,
  }) => {
    await fleet.watch()
    const id = await fleet.add('pump')
    await fleet.checkIn(id)
    const seenAt = world.clock.now()
    world.clock.advance(5 * MINUTE)
    await world.runBackgroundJobs()
    expect(await fleet.reported()).toEqual([`pump device.online at ${timeOf(seenAt)}`])
    world.clock.advance(1)
    await Promise.all([world.runBackgroundJobs(), world.runBackgroundJobs()])
    world.clock.advance(MINUTE)
    await world.runBackgroundJobs()
    expect(await fleet.reported()).toEqual([
      `pump device.online at ${timeOf(seenAt)}`,
      `pump device.offline at ${timeOf(seenAt + 5 * MINUTE)}`,
    ])
  })

  it('that it is back: by the check-in that ends the time offline, and by no other', async ({ world, fleet }) => {
    const id = await fleet.add('pump')
    await fleet.checkIn(id)
    world.clock.advance(10 * MINUTE)
    await fleet.watch()
    await world.runBackgroundJobs()
    const back = world.clock.now()
    await Promise.all([fleet.checkIn(id), fleet.checkIn(id, '1.0'), fleet.checkIn(id)])
    world.clock.advance(4 * MINUTE)
    await fleet.checkIn(id)
    expect(await fleet.reported()).toEqual([`pump device.online at ${timeOf(back)}`])
  })

  it('of both by the check-in, when it comes before the job', async ({ world, fleet }) => {
    await fleet.watch()
    const id = await fleet.add('pump')
    await fleet.checkIn(id)
    const seenAt = world.clock.now()
    world.clock.advance(5 * MINUTE + SECOND)
    await fleet.checkIn(id)
    await world.runBackgroundJobs()
    expect(await fleet.reported()).toEqual([
      `pump device.online at ${timeOf(seenAt)}`,
      `pump device.offline at ${timeOf(seenAt + 5 * MINUTE)}`,
      `pump device.online at ${timeOf(seenAt + 5 * MINUTE + SECOND)}`,
    ])
  })

  it('of many that check in together, and go offline together', async ({ world, acme, fleet }) => {
    const id = await fleet.watch()
    const names = Array.from({ length: 300 }, (_, i) => `pump-${i}`)
    const create =
      'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { device { id } } } }'
    const inputs = names.map((name) => ({ name }))
    const { results } = fieldOf<{ results: { device: { id: string } }[] }>(await acme.call(create, { inputs }))
    const checkIn =
      'mutation ($inputs: [CheckInDevicesInput!]!) { checkInDevices(inputs: $inputs) { results { error { code } } } }'
    await acme.call(checkIn, { inputs: results.map(({ device }) => ({ id: device.id })) })
    world.clock.advance(6 * MINUTE)
    await world.runBackgroundJobs()
    await world.fanOut()
    const counts = await acme.call('query ($id: ID!) { webhook(id: $id) { deliveries { totalCount } } }', { id })
    expect(counts.data).toEqual({ webhook: { deliveries: { totalCount: 600 } } })
  })

  it('that a device went offline once there is room for it again, if too much was waiting', async ({
    world,
    acme,
    fleet,
  }) => {
    await fleet.watch()
    const ids = [await fleet.add('pump'), await fleet.add('valve')]
    for (const id of ids) await fleet.checkIn(id)
    const seenAt = world.clock.now()
    world.clock.advance(6 * MINUTE)
    await setBytes(world, acme.id, 'delivery_bytes', 2 * LIMITS.delivery_bytes + 1)
    await reportOffline(world.database, world.clock.now(), () => false)
    expect(await fleet.reported()).toHaveLength(2)
    await fleet.checkIn(ids[1] ?? '')
    await setBytes(world, acme.id, 'delivery_bytes', 2 * LIMITS.delivery_bytes)
    await reportOffline(world.database, world.clock.now(), () => false)
    const offline = (await fleet.reported()).filter((each) => each.includes('offline'))
    expect(offline.toSorted()).toEqual(
      ['pump', 'valve'].map((n) => `${n} device.offline at ${timeOf(seenAt + 5 * MINUTE)}`),
    )
  })

  it('of nothing that happened before there was a webhook', async ({ world, fleet }) => {
    const id = await fleet.add('pump')
    await fleet.checkIn(id)
    world.clock.advance(10 * MINUTE)
    await fleet.watch()
    await world.runBackgroundJobs()
    expect(await fleet.reported()).toEqual([])
  })
})
