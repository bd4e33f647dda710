import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { eventsOf, fieldOf, peopleAs } from '../../test/support/world/people.ts'
import { setBytes } from '../../test/support/world/stored-bytes.ts'
import { startWebhookWorld } from '../../test/support/world/webhook-world.ts'
import { payloadOf, webhooksAs } from '../../test/support/world/webhooks.ts'
import { mostBytes } from '../db/byte-budgets.ts'
import { claimDeliveries } from './delivery-queue.ts'
import { tidyDeliveries } from './delivery-retention.ts'

const it = inOrganization(() => startWebhookWorld())

const MAX = mostBytes('delivery_bytes', 'NORMAL')
const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'

it('a webhook for which too many deliveries wait is paused and reported; the newest half is sent when it is enabled', async ({
  world,
  acme,
}) => {
  const hooks = webhooksAs(acme.call)
  const { webhook } = await hooks.create({ url: world.receiver.url, description: 'the warehouse' })
  const { webhook: other } = await hooks.create({ url: world.receiver.url, events: ['DEVICE_DELETED'] })
  const createAll = async (...names: string[]) => {
    for (const name of names) await acme.call(CREATE, { name })
    await world.fanOut()
  }
  const tidy = () => tidyDeliveries(world.database, world.clock.now(), { origin: world.url, maxPending: 4 })
  const waiting = async () =>
    (await hooks.deliveries(webhook.id, 'PENDING')).map((each) => payloadOf(each).data.object.name)

  await createAll('a', 'b', 'c', 'd')
  await tidy()
  expect(await waiting()).toHaveLength(4)
  expect(await hooks.find(webhook.id)).toMatchObject({ state: 'ACTIVE' })

  await createAll('e')
  await tidy()
  expect(await waiting()).toEqual(['e', 'd'])
  const { state, pausedReason } = await hooks.find(webhook.id)
  expect([state, pausedReason]).toEqual(['PAUSED', expect.stringContaining('More than 4 deliveries were waiting')])
  expect(await hooks.find(other.id)).toMatchObject({ state: 'ACTIVE' })
  await createAll('f')
  await tidy()
  expect(await waiting()).toEqual(['e', 'd'])
  const paused = eventsOf(await peopleAs(acme.call).audit()).filter(({ action }) => action === 'WEBHOOK_PAUSED')
  expect(paused).toMatchObject([{ subject: 'the warehouse', actor: { kind: 'SYSTEM' } }])
  const emails = fieldOf<{ data: { subject: string }[] }>(await acme.call('{ emails { data { subject } } }'))
  expect(emails.data).toMatchObject([{ subject: 'The webhook the warehouse of Acme is paused' }])

  await hooks.update(webhook.id, { enabled: true })
  await createAll('g')
  await tidy()
  await world.worker.deliver()
  expect(await hooks.find(webhook.id)).toMatchObject({ state: 'ACTIVE', pausedReason: null })
  expect(world.receiver.received.map(({ body }) => payloadOf({ payload: body }).data.object.name).sort()).toEqual([
    'd',
    'e',
    'g',
  ])
})

it('with twice the bytes that may wait, a webhook is paused for a tenth of the deliveries, and one with few is not', async ({
  world,
  acme,
}) => {
  const hooks = webhooksAs(acme.call)
  const { webhook } = await hooks.create({ url: world.receiver.url })
  const { webhook: few } = await hooks.create({ url: world.receiver.url, events: ['DEVICE_DELETED'] })
  const { webhook: other } = await hooks.create({ url: world.receiver.url })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await acme.call(CREATE, { name })
  await world.fanOut()
  const tidyWith = async (bytes: number) => {
    await setBytes(world, acme.id, 'delivery_bytes', bytes)
    await tidyDeliveries(world.database, world.clock.now(), { origin: world.url, maxPending: 40 })
    return (await hooks.deliveries(webhook.id, 'PENDING')).map((each) => payloadOf(each).data.object.name)
  }
  expect(await tidyWith(2 * MAX)).toHaveLength(5)
  expect(await hooks.find(webhook.id)).toMatchObject({ state: 'ACTIVE' })
  expect(await tidyWith(2 * MAX + 1)).toEqual(['e', 'd'])
  expect(await hooks.find(webhook.id)).toMatchObject({
    state: 'PAUSED',
    pausedReason: expect.stringContaining('More than 4 deliveries were waiting'),
  })
  expect(await hooks.find(few.id)).toMatchObject({ state: 'ACTIVE' })
  expect(await hooks.find(other.id)).toMatchObject({ state: 'ACTIVE' }) // there is room again
})

it('a claim for one organization does not wait for all those for another one', async ({
  world: { database, clock },
}) => {
  const [gate, order] = [Promise.withResolvers<void>(), [] as string[]]
  const holding = database.transaction(() => gate.promise)
  const claims = ['large', 'large', 'large', 'small'].map(async (organizationId) => {
    await claimDeliveries(database, { id: 'w', organizationId }, clock.now(), 1)
    order.push(organizationId)
  })
  gate.resolve()
  await Promise.all([holding, ...claims])
  expect(order).toEqual(['large', 'small', 'large', 'large'])
})

it('of events that no worker takes the newest half stays, and the webhooks of the organization are paused', async ({
  world,
  ada,
}) => {
  const organization = await world.organization('Idle', { admin: ada })
  const hooks = webhooksAs(organization.call)
  const { webhook } = await hooks.create({ url: world.receiver.url })
  const tidy = () => tidyDeliveries(world.database, world.clock.now(), { origin: world.url, maxPending: 4 })
  for (const name of ['a', 'b', 'c', 'd']) await organization.call(CREATE, { name })
  await tidy()
  expect(await hooks.find(webhook.id)).toMatchObject({ state: 'ACTIVE' })
  await organization.call(CREATE, { name: 'e' })
  await tidy()
  expect(await hooks.find(webhook.id)).toMatchObject({
    state: 'PAUSED',
    pausedReason: expect.stringContaining('More than 4 events were waiting'),
  })
  await organization.call(CREATE, { name: 'f' })
  await world.fanOut()
  const waiting = await hooks.deliveries(webhook.id, 'PENDING')
  expect(waiting.map((each) => payloadOf(each).data.object.name)).toEqual(['e', 'd'])
})
