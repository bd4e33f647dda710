import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { eventsOf, fieldOf, peopleAs } from '../../test/support/world/people.ts'
import { startReceiver } from '../../test/support/world/webhook-receiver.ts'
import { startWebhookWorld } from '../../test/support/world/webhook-world.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { pauseMs } from './attempt.ts'
import { LEASE_MS } from './delivery-queue.ts'
import { tidyDeliveries } from './delivery-retention.ts'

const it = inOrganization(() => startWebhookWorld())
  .extend('call', async ({ world, acme }) => world.asKey((await acme.generateKey()).secret).call) // outlives sessions
  .extend('hooks', ({ call }) => webhooksAs(call))
  .extend('receiver', ({ world }) => {
    world.receiver.received.length = 0
    world.receiver.answerStatus(204)
    return world.receiver
  })

let devices = 0
const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
const newDevice = () => ({ name: `pump-${++devices}` })

describe('a delivery that fails', () => {
  it('is tried again after longer and longer pauses, and delivered once the receiver is back', async ({
    world,
    call,
    hooks,
    receiver,
  }) => {
    receiver.answerStatus(500)
    const { webhook } = await hooks.create({ url: receiver.url })
    await call(CREATE, newDevice())
    await world.worker.deliver()
    expect(await hooks.deliveries(webhook.id)).toMatchObject([
      {
        state: 'PENDING',
        attempts: 1,
        responseStatus: 500,
        error: 'The receiver answered with the status 500.',
      },
    ])
    expect(await hooks.find(webhook.id)).toMatchObject({ state: 'FAILING', enabled: true })
    await world.worker.deliver()
    expect(receiver.received).toHaveLength(1)
    world.clock.advance(6 * SECOND)
    await world.worker.deliver()
    receiver.answerStatus(200)
    world.clock.advance(36 * SECOND)
    await world.worker.deliver()
    expect(receiver.received).toHaveLength(3)
    expect(await hooks.deliveries(webhook.id)).toMatchObject([{ state: 'DELIVERED', attempts: 3, error: null }])
    expect(await hooks.find(webhook.id)).toMatchObject({ state: 'ACTIVE' })
  })

  it('is given up after three days, and the webhook is paused and reported once', async ({
    world,
    acme,
    call,
    hooks,
    receiver,
  }) => {
    receiver.answerStatus(503)
    const { webhook } = await hooks.create({ url: receiver.url, description: 'the warehouse' })
    const began = world.clock.now()
    await call(CREATE, newDevice())
    await call(CREATE, newDevice())
    while (world.clock.now() <= began + 3 * DAY) {
      await world.worker.deliver()
      if (world.clock.now() < began + 3 * DAY)
        expect(await hooks.find(webhook.id)).toMatchObject({ state: 'FAILING', enabled: true })
      world.clock.advance(6 * HOUR)
    }
    await world.worker.deliver()
    const states = async () => (await hooks.deliveries(webhook.id)).map(({ state }) => state).sort()
    expect(await states()).toEqual(['FAILED', 'PENDING']) // while it is paused, nothing is tried
    const paused = await hooks.find(webhook.id)
    expect(paused).toMatchObject({ state: 'PAUSED', enabled: false })
    expect(paused.pausedReason).toContain('No delivery has succeeded for three days.')
    const events = eventsOf(await peopleAs(call).audit()).filter(({ action }) => action === 'WEBHOOK_PAUSED')
    expect(events).toMatchObject([{ subject: 'the warehouse', actor: { kind: 'SYSTEM', name: 'portal' } }])
    const emails = fieldOf<{ data: { to: string; subject: string }[] }>(
      await call('{ emails { data { to subject } } }'),
    )
    expect(emails.data).toMatchObject([
      { to: acme.admin.email, subject: 'The webhook the warehouse of Acme is paused' },
    ])
    await call(CREATE, newDevice())
    await world.fanOut()
    expect(await hooks.deliveries(webhook.id)).toHaveLength(2) // it is notified of nothing
    await hooks.update(webhook.id, { enabled: true })
    expect(await hooks.find(webhook.id)).toMatchObject({ state: 'ACTIVE', pausedReason: null })
    receiver.answerStatus(200)
    await world.worker.deliver()
    expect(await states()).toEqual(['DELIVERED', 'FAILED'])
  })

  it('with 410 pauses the webhook at once', async ({ world, call, hooks, receiver }) => {
    receiver.answerStatus(410)
    const { webhook } = await hooks.create({ url: receiver.url })
    await call(CREATE, newDevice())
    await world.worker.deliver()
    expect(await hooks.find(webhook.id)).toMatchObject({
      state: 'PAUSED',
      pausedReason: 'The receiver answered that it is gone (410).',
    })
    expect(await hooks.deliveries(webhook.id)).toMatchObject([{ state: 'FAILED', responseStatus: 410 }])
  })

  it('with 410 again and again, as often as it is enabled, sends ten emails an hour at most', async ({
    world,
    call,
    hooks,
    receiver,
  }) => {
    receiver.answerStatus(410)
    const { webhook } = await hooks.create({ url: receiver.url })
    const pause = async () => {
      await hooks.update(webhook.id, { enabled: true })
      await call(CREATE, newDevice())
      await world.worker.deliver()
      expect(await hooks.find(webhook.id)).toMatchObject({ state: 'PAUSED' })
    }
    const emails = async () =>
      fieldOf<{ data: { id: string }[] }>(await call('{ emails(first: 50) { data { id } } }')).data.length
    for (let i = 0; i < 12; i++) await pause()
    expect(await emails()).toBe(10)
    world.clock.advance(HOUR + SECOND)
    await pause()
    expect(await emails()).toBe(11)
  })

  it('waits as long as the receiver asks, within bounds', async ({ world, call, hooks, receiver }) => {
    receiver.answerStatus(429, { 'retry-after': '120' })
    const { webhook } = await hooks.create({ url: receiver.url })
    await call(CREATE, newDevice())
    await world.worker.deliver()
    const next = new Date(world.clock.now() + 2 * MINUTE).toISOString()
    expect(await hooks.deliveries(webhook.id)).toMatchObject([{ state: 'PENDING', nextAttemptAt: next }])
    const now = world.clock.now()
    expect(pauseMs(1, { retryAfter: '999999999' }, now)).toBe(6 * HOUR)
    expect(pauseMs(1, { retryAfter: '0' }, now)).toBe(SECOND)
    expect(pauseMs(1, { retryAfter: new Date(now + HOUR).toUTCString() }, now)).toBe(HOUR)
    for (const retryAfter of ['soon', '-5', undefined]) {
      const pause = pauseMs(1, { retryAfter }, now)
      expect([pause >= 4 * SECOND, pause <= 6 * SECOND], String(retryAfter)).toEqual([true, true])
    }
  })

  it('by the kill of its worker is sent by another once the lease is over, and recorded by that one alone', async ({
    world,
    call,
    hooks,
    receiver,
  }) => {
    const { webhook } = await hooks.create({ url: receiver.url })
    await call(CREATE, newDevice())
    const killed = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    receiver.answerWith((_received, response) => {
      reached.resolve()
      killed.promise.then(() => response.writeHead(500).end())
    })
    const first = world.worker.deliver()
    await reached.promise
    receiver.answerStatus(200)
    const other = world.startWorker()
    await other.deliver()
    expect(receiver.received).toHaveLength(1)
    world.clock.advance(LEASE_MS)
    await other.deliver()
    expect(receiver.received).toHaveLength(2)
    killed.resolve()
    await first
    expect(await hooks.deliveries(webhook.id)).toMatchObject([{ state: 'DELIVERED', attempts: 2, responseStatus: 200 }])
    const [sent, again] = receiver.received
    expect(again?.headers['webhook-id']).toBe(sent?.headers['webhook-id'])
  })

  it.for([200, 410, 500])(
    'is recorded by its last attempt, also where an earlier one is answered %d after it',
    async (late, { world, call, hooks, receiver }) => {
      const { webhook } = await hooks.create({ url: receiver.url })
      await call(CREATE, newDevice())
      const reached = Promise.withResolvers<void>()
      const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
      receiver.answerWith((_received, response) => {
        reached.resolve()
        isAnswered.then(() => response.writeHead(late).end())
      })
      const first = world.worker.deliver()
      await reached.promise
      receiver.answerStatus(503)
      world.clock.advance(LEASE_MS)
      await world.startWorker().deliver()
      const before = await hooks.deliveries(webhook.id)
      expect(before).toMatchObject([{ state: 'PENDING', attempts: 2, responseStatus: 503 }])
      answer()
      await first
      expect(await hooks.deliveries(webhook.id)).toEqual(before)
      expect(await hooks.find(webhook.id)).toMatchObject({ state: 'FAILING', enabled: true })
    },
  )
})

it('receivers that never answer delay no other, of the same organization or of another', async ({
  world,
  ada,
  hooks,
  call,
  receiver,
}) => {
  const dead = await startReceiver(() => {})
  const other = await world.organization('Other', { admin: ada })
  const { webhook } = await hooks.create({ url: dead.url })
  await hooks.create({ url: dead.url })
  await hooks.create({ url: dead.url })
  await hooks.create({ url: receiver.url })
  await webhooksAs(other.call).create({ url: receiver.url })
  for (let i = 0; i < 30; i++) await call(CREATE, newDevice())
  await other.call(CREATE, newDevice())
  const worker = world.startWorker()
  void worker.deliver()
  await expect.poll(() => receiver.received.length).toBe(31)
  expect(dead.received.length).toBe(3)
  expect(await hooks.deliveries(webhook.id, 'DELIVERED')).toEqual([])
  await worker.close()
  await dead.close()
})

it('deliveries are deleted after 30 days, beyond the most that are kept, and with their webhook', async ({
  world,
  call,
  hooks,
  receiver,
}) => {
  const { webhook } = await hooks.create({ url: receiver.url })
  const { webhook: other } = await hooks.create({ url: receiver.url })
  const rows = () =>
    world.database.read.selectFrom('webhookDelivery').select('id').where('webhookId', '=', other.id).execute()
  for (let i = 0; i < 5; i++) await call(CREATE, newDevice())
  await world.fanOut()
  const keepThree = () => tidyDeliveries(world.database, world.clock.now(), { origin: world.url, keptOfWebhook: 3 })
  await keepThree()
  expect(await hooks.deliveries(webhook.id, 'PENDING')).toHaveLength(5) // they are still to be sent
  await world.worker.deliver()
  await keepThree()
  expect(await hooks.deliveries(webhook.id)).toHaveLength(3)
  await hooks.remove(other.id)
  expect(await rows()).toHaveLength(3)
  await world.runBackgroundJobs()
  expect(await rows()).toEqual([])
  world.clock.advance(29 * DAY)
  await world.runBackgroundJobs()
  expect(await hooks.deliveries(webhook.id)).toHaveLength(3)
  world.clock.advance(2 * DAY)
  await world.runBackgroundJobs()
  expect(await hooks.deliveries(webhook.id)).toEqual([])
})
