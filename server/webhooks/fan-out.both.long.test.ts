import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { fieldOf } from '../../test/support/world/people.ts'
import { startWebhookWorld } from '../../test/support/world/webhook-world.ts'
import { payloadOf, webhooksAs } from '../../test/support/world/webhooks.ts'
import { LIMITS } from '../config/limits.ts'
import { createDevices } from '../devices/create-devices.ts'

const it = inOrganization(() => startWebhookWorld())
  .extend('hooks', ({ acme }) => webhooksAs(acme.call))
  .extend('rows', ({ world: { database }, acme }) => ({
    events: () =>
      database.read
        .selectFrom('webhookEvent')
        .select(['type', 'webhookIds'])
        .where('organizationId', '=', acme.id)
        .execute(),
    deliveries: () =>
      database.read
        .selectFrom('webhookDelivery')
        .innerJoin('webhook', 'webhook.id', 'webhookDelivery.webhookId')
        .select(['webhookDelivery.id', 'webhookId'])
        .where('organizationId', '=', acme.id)
        .execute(),
  }))

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
const CREATE_MANY =
  'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { device { id } } } }'
const UPDATE_MANY =
  'mutation ($inputs: [UpdateDevicesInput!]!) { updateDevices(inputs: $inputs) { results { device { id } } } }'

describe('an event', () => {
  it('is one row of the change, however many webhooks want it, and later a delivery to each of them', async ({
    world,
    acme,
    hooks,
    rows,
  }) => {
    for (let i = 0; i < LIMITS.webhooks; i++) await hooks.create()
    await acme.call(CREATE, { name: 'pump' })
    expect([await rows.events(), await rows.deliveries()]).toMatchObject([[{ type: 'device.created' }], []])
    await world.fanOut()
    const deliveries = await rows.deliveries()
    expect(await rows.events()).toEqual([])
    expect(new Set(deliveries.map(({ webhookId }) => webhookId)).size).toBe(LIMITS.webhooks)
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(LIMITS.webhooks)
  })

  it('of each of 500 devices is one row, with the version that follows the one before', async ({
    world,
    acme,
    hooks,
    rows,
  }) => {
    const { webhook } = await hooks.create()
    const { webhook: other } = await hooks.create({ events: ['DEVICE_UPDATED'] })
    const inputs = Array.from({ length: 500 }, (_, i) => ({ name: `pump-${i}` }))
    type Results = { results: { device: { id: string } }[] }
    const { results } = fieldOf<Results>(await acme.call(CREATE_MANY, { inputs }))
    const changes = results.map(({ device }) => ({ id: device.id, description: 'by the river' }))
    await acme.call(UPDATE_MANY, { inputs: changes })
    const events = await rows.events()
    expect(events).toHaveLength(1000)
    const wantedBy = (type: string) =>
      new Set(events.filter((event) => event.type === type).map((each) => each.webhookIds))
    expect([...wantedBy('device.created')]).toEqual([webhook.id])
    expect([...wantedBy('device.updated')].flatMap((ids) => ids.split(',')).sort()).toEqual(
      [webhook.id, other.id].sort(),
    )
    await world.fanOut()
    expect(await rows.deliveries()).toHaveLength(1500)
    const newest = (await hooks.deliveries(webhook.id)).map(payloadOf).map(({ type, data }) => ({ type, ...data }))
    expect(newest.every(({ type, object }, i) => type === 'device.updated' && object.name === `pump-${499 - i}`)).toBe(
      true,
    )
    const versions = newest.map(({ version }) => version)
    expect(versions).toEqual(versions.map((_, i) => (versions[0] ?? 0) - i))
  })

  it('is for the webhooks that want it when it happens: of those that are paused later too, and of no later one', async ({
    world,
    acme,
    hooks,
  }) => {
    const [kept, paused, deleted] = [await hooks.create(), await hooks.create(), await hooks.create()]
    const disabled = await hooks.create()
    const changed = await hooks.create({ events: ['DEVICE_DELETED'] })
    await hooks.update(disabled.webhook.id, { enabled: false })
    await acme.call(CREATE, { name: 'pump' })
    const later = await hooks.create()
    await hooks.update(paused.webhook.id, { enabled: false })
    await hooks.update(disabled.webhook.id, { enabled: true })
    await hooks.update(changed.webhook.id, { events: ['DEVICE_CREATED'] })
    await hooks.remove(deleted.webhook.id)
    await world.fanOut()
    const counts = [kept, paused, disabled, changed, later].map(
      async ({ webhook }) => (await hooks.deliveries(webhook.id)).length,
    )
    expect(await Promise.all(counts)).toEqual([1, 1, 0, 0, 0])
  })

  it('is written for a change on the command line too', async ({ world: { database, clock }, acme, hooks, rows }) => {
    await hooks.create()
    const caller = { kind: 'SYSTEM', organizationId: acme.id, role: 'ADMIN' } as const
    await createDevices({ caller, reads: database.read, database, now: clock.now }, [{ name: 'pump' }], true)
    expect(await rows.events()).toMatchObject([{ type: 'device.created' }])
  })

  it('of an organization without a webhook that wants it is not written', async ({ world, ada, acme, hooks, rows }) => {
    await hooks.create({ events: ['DEVICE_DELETED'] })
    const other = await world.organization('Other', { admin: ada })
    await webhooksAs(other.call).create()
    const before = await world.database.read.selectFrom('webhookProgress').selectAll().execute()
    await acme.call(CREATE, { name: 'pump' })
    await acme.call(CREATE_MANY, { inputs: [{ name: 'a' }, { name: 'b' }] })
    expect(await rows.events()).toEqual([])
    expect(await world.database.read.selectFrom('webhookProgress').selectAll().execute()).toEqual(before)
  })

  it('is fanned out once by many workers, in whatever order they come to it', async ({ world, acme, hooks, rows }) => {
    for (let i = 0; i < 3; i++) await hooks.create()
    const inputs = Array.from({ length: 100 }, (_, i) => ({ name: `pump-${i}` }))
    await acme.call(CREATE_MANY, { inputs })
    await Promise.all([world.fanOut(), world.fanOut(), world.fanOut()])
    expect([(await rows.events()).length, (await rows.deliveries()).length]).toEqual([0, 300])
  })
})
