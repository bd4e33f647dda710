import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf, fieldOf } from '../../test/support/world/people.ts'
import { bytesOf, setBytes, useUp } from '../../test/support/world/stored-bytes.ts'
import { startWebhookWorld } from '../../test/support/world/webhook-world.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'
import { mostBytes } from '../db/byte-budgets.ts'
import { tidyDeliveries } from './delivery-retention.ts'
import { recountWaiting, waitingBytes } from './waiting-bytes.ts'

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
const MANY =
  'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { error { code } } } }'
const MAX = mostBytes('delivery_bytes', 'NORMAL')

const it = inOrganization(startWebhookWorld)
  .extend('hooks', ({ acme }) => webhooksAs(acme.call))
  .extend(
    'create',
    ({ acme }) =>
      (name: string) =>
        acme.call(CREATE, { name }),
  )
  .extend(
    'counted',
    ({ world, acme }) =>
      () =>
        bytesOf(world, acme.id, 'delivery_bytes'),
  )
  .extend(
    'recount',
    ({ world }) =>
      () =>
        recountWaiting(world.database, () => false),
  )

describe('C20: the deliveries that wait are bounded in bytes', () => {
  it('each event counts for every webhook that wants it, before and after it is fanned out', async ({
    world,
    acme,
    hooks,
    create,
    counted,
    recount,
  }) => {
    const waiting = () => waitingBytes(world.database.read, acme.id)
    await create('nobody-wants-it')
    expect(await counted()).toBe(0)
    await hooks.create()
    await hooks.create({ events: ['DEVICE_CREATED'] })
    await hooks.create({ events: ['DEVICE_DELETED'] })
    const { id } = fieldOf<{ id: string }>(await create('edge-1'))
    await acme.call(MANY, { inputs: Array.from({ length: 120 }, (_, i) => ({ name: `ü-${i}` })) })
    await acme.call('mutation ($id: ID!) { updateDevice(id: $id, input: { description: "new" }) { id } }', { id })
    await acme.call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id })
    expect(await counted()).toBeGreaterThan(240 * 400)
    expect(await counted()).toBe(await waiting())
    await world.fanOut()
    expect(await counted()).toBe(await waiting())
    await recount()
    expect(await counted()).toBe(await waiting())
  })

  it('with no byte left a change is not done, and a key is still revoked', async ({
    world,
    acme,
    key,
    hooks,
    create,
    counted,
  }) => {
    await hooks.create({ events: ['DEVICE_CREATED', 'API_KEY_REVOKED'] })
    await create('edge-0')
    const size = await counted()
    await setBytes(world, acme.id, 'delivery_bytes', MAX - size)
    expect(codesOf(await create('edge-1'))).toEqual([])
    await setBytes(world, acme.id, 'delivery_bytes', MAX - size + 1)
    const { errors } = await create('edge-2')
    expect(errors).toEqual([
      expect.objectContaining({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('disable or delete those') }),
    ])
    await useUp(world, acme.id)
    expect(codesOf(await acme.call(`mutation { revokeApiKey(id: "${key.id}") { ids } }`))).toEqual([])
    expect(await world.accepts(key.secret)).toBe(false)
  })

  it('what was delivered, or is gone with its webhook, is free again', async ({
    world,
    acme,
    hooks,
    create,
    counted,
    recount,
  }) => {
    const { webhook } = await hooks.create()
    const { webhook: other } = await hooks.create()
    for (const name of ['edge-1', 'edge-2']) await create(name)
    await world.fanOut()
    await setBytes(world, acme.id, 'delivery_bytes', MAX)
    await world.database.transaction((db) =>
      db.updateTable('webhookDelivery').set({ state: 'DELIVERED' }).where('webhookId', '=', webhook.id).execute(),
    )
    await recount()
    const left = await counted()
    expect(left).toBe(await waitingBytes(world.database.read, acme.id))
    expect(left).toBeGreaterThan(0)
    expect(codesOf(await create('edge-3'))).toEqual([])
    for (const { id } of [webhook, other]) await hooks.remove(id)
    await world.fanOut()
    await recount()
    expect(await counted()).toBe(0)
  })

  it('what was stored before it was counted is found', async ({ world, hooks, create, counted, recount, acme }) => {
    await hooks.create()
    await create('edge-1')
    const whole = await counted()
    await setBytes(world, acme.id, 'delivery_bytes', 0)
    await recount()
    expect(await counted()).toBe(whole)
  })

  it('those that were sent are bounded too: the newest stay, and what waits', async ({
    world,
    acme,
    hooks,
    create,
  }) => {
    const { webhook } = await hooks.create()
    for (let i = 0; i < 6; i++) await create(`edge-${i}`)
    await world.fanOut()
    const [newest] = await hooks.deliveries(webhook.id)
    const { database, clock } = world
    const setState = (state: 'DELIVERED' | 'PENDING', last: string) =>
      database.transaction((db) =>
        db
          .updateTable('webhookDelivery')
          .set({ state })
          .where('webhookId', '=', webhook.id)
          .where('id', '<=', last)
          .execute(),
      )
    await setState('DELIVERED', newest?.id ?? '')
    const oldest = (await hooks.deliveries(webhook.id)).at(-1)?.id ?? ''
    await setState('PENDING', oldest)
    const size = Buffer.byteLength(newest?.payload ?? '')
    await tidyDeliveries(database, clock.now(), { origin: '', keptBytes: 3 * size + 2 })
    const states = (await hooks.deliveries(webhook.id)).map(({ state }) => state)
    expect(states).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED', 'PENDING'])
    expect(await waitingBytes(database.read, acme.id)).toBeLessThan(2 * size + 800)
  })
})
