import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf, fieldOf } from '../../test/support/world/people.ts'
import type { Received } from '../../test/support/world/webhook-receiver.ts'
import { startWebhookWorld } from '../../test/support/world/webhook-world.ts'
import { payloadOf, type TestPayload, webhooksAs } from '../../test/support/world/webhooks.ts'

/** The published library checks the time of the machine. */
const it = inOrganization(() => startWebhookWorld({ now: Date.now }))
  .extend('hooks', ({ acme }) => webhooksAs(acme.call))
  .extend('receiver', ({ world }) => {
    world.receiver.received.length = 0
    world.receiver.answerStatus(204)
    return world.receiver
  })

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
const UPDATE =
  'mutation ($id: ID!, $description: String) { updateDevice(id: $id, input: { description: $description }) { id } }'

const isSignedWith = (secret: string, { body, headers }: Received) => {
  try {
    return new Verifier(secret).verify(body, headers) !== undefined
  } catch {
    return false
  }
}
const bodiesOf = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body) as TestPayload)

describe('a change', () => {
  it('is delivered once, signed as in Standard Webhooks, with the version of the object', async ({
    world,
    acme,
    hooks,
    receiver,
  }) => {
    const { webhook, secret } = await hooks.create({ url: receiver.url })
    const { id } = fieldOf<{ id: string }>(await acme.call(CREATE, { name: 'pump-7' }))
    await acme.call(UPDATE, { id, description: 'by the river' })
    await world.worker.deliver()
    await world.worker.deliver()
    expect(receiver.received).toHaveLength(2)
    expect(receiver.received.map((each) => isSignedWith(secret, each))).toEqual([true, true])
    expect(isSignedWith(secret, { ...(receiver.received[0] as Received), body: '{}' })).toBe(false)
    const [created, updated] = bodiesOf(receiver.received).sort((a, b) => a.data.version - b.data.version)
    expect(created).toMatchObject({
      type: 'device.created',
      data: {
        organizationId: acme.id,
        object: { type: 'DEVICE', id, name: 'pump-7' },
        actor: { kind: 'USER', name: 'Ada' },
      },
    })
    expect(updated).toMatchObject({
      type: 'device.updated',
      data: { object: { id }, changes: [{ field: 'description', before: null, after: 'by the river' }] },
    })
    expect(updated?.data.version).toBeGreaterThan(created?.data.version ?? 0)
    const log = await hooks.deliveries(webhook.id)
    expect(log).toMatchObject([
      {
        event: 'DEVICE_UPDATED',
        state: 'DELIVERED',
        attempts: 1,
        responseStatus: 204,
        error: null,
        nextAttemptAt: null,
      },
      { event: 'DEVICE_CREATED', state: 'DELIVERED' },
    ])
    expect(receiver.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
      log.map((each) => each.id).sort(),
    )
    expect(await hooks.deliveries(webhook.id, 'PENDING')).toEqual([])
  })

  it('is signed with both secrets while they are rotated, and then with the new one alone', async ({
    world,
    hooks,
    receiver,
  }) => {
    const { webhook, secret: old } = await hooks.create({ url: receiver.url })
    const { secret } = await hooks.rotate(webhook.id, 60)
    await hooks.test(webhook.id)
    await world.worker.deliver()
    const { secret: last } = await hooks.rotate(webhook.id, 0)
    await hooks.test(webhook.id)
    await world.worker.deliver()
    const [during, after] = receiver.received as [Received, Received]
    expect([old, secret, last].map((each) => isSignedWith(each, during))).toEqual([true, true, false])
    expect([old, secret, last].map((each) => isSignedWith(each, after))).toEqual([false, false, true])
  })

  it('reaches every webhook that wants it, and no other', async ({ world, ada, acme, hooks, receiver }) => {
    const other = await world.organization('Other', { admin: ada })
    const wanted = { url: receiver.url, events: ['DEVICE_CREATED'] }
    const [first, second] = [await hooks.create(wanted), await hooks.create(wanted)]
    const disabled = await hooks.create(wanted)
    await hooks.update(disabled.webhook.id, { enabled: false })
    await hooks.create({ ...wanted, events: ['DEVICE_DELETED'] })
    await webhooksAs(other.call).create(wanted)
    await acme.call(CREATE, { name: 'pump-8' })
    await world.worker.deliver()
    expect(bodiesOf(receiver.received).map(({ data }) => data.organizationId)).toEqual([acme.id, acme.id])
    const ids = [first, second].map(async ({ webhook }) => (await hooks.deliveries(webhook.id))[0]?.id)
    expect(new Set([...(await Promise.all(ids)), undefined]).size).toBe(3)
    expect(await hooks.deliveries(disabled.webhook.id)).toEqual([])
  })

  it('that is rolled back is not delivered', async ({ world, acme, hooks, receiver }) => {
    const { webhook } = await hooks.create({ url: receiver.url })
    await acme.call(CREATE, { name: 'pump-9' })
    await acme.call(CREATE, { name: 'pump-9' }) // the name is taken
    await world.fanOut()
    expect(await hooks.deliveries(webhook.id)).toHaveLength(1)
  })

  it('of keys, people and the policy is reported without a secret', async ({ world, acme, hooks, receiver }) => {
    const events = ['API_KEY_GENERATED', 'API_KEY_REVOKED', 'USER_INVITED', 'POLICY_CHANGED']
    const { webhook } = await hooks.create({ url: receiver.url, events })
    const key = await acme.generateKey()
    const others = [await acme.generateKey({ label: 'second' }), await acme.generateKey({ label: 'third' })]
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })
    const ids = others.map(({ id }) => id)
    await acme.call('mutation ($ids: [ID!]) { revokeApiKeys(input: { ids: $ids }) { ids } }', { ids })
    await acme.call('mutation { inviteUser(input: { email: "new@example.com" }) { link } }')
    await acme.call('mutation { setApiKeyPolicy(input: { maxLifetimeDays: 90 }) { maxKeys } }')
    await world.worker.deliver()
    const reported = (await hooks.deliveries(webhook.id)).map(payloadOf)
    const revoked = reported.filter(({ type }) => type === 'api_key.revoked').map(({ data }) => data.object.id)
    expect(revoked.sort()).toEqual([key.id, ...ids].sort())
    const named = reported.filter(({ data }) => ids.includes(data.object.id)).map(({ data }) => data.object.name)
    expect(new Set(named)).toEqual(new Set(['second', 'third'])) // each by its own name
    expect(
      Object.entries(Object.groupBy(reported, ({ type }) => type)).map(([type, of]) => [type, of?.length]),
    ).toEqual(
      expect.arrayContaining([
        ['api_key.generated', 3],
        ['user.invited', 1],
        ['policy.changed', 1],
      ]),
    )
    const sent = JSON.stringify(receiver.received)
    for (const { secret } of [key, ...others]) expect(sent).not.toContain(secret)
    expect(sent).not.toContain('emi_')
  })
})

describe('a delivery', () => {
  it('that was delivered is sent again with the same id and body', async ({ world, acme, hooks, receiver }) => {
    const { webhook } = await hooks.create({ url: receiver.url })
    await acme.call(CREATE, { name: 'pump-10' })
    await world.worker.deliver()
    const [delivery] = await hooks.deliveries(webhook.id)
    expect((await hooks.redeliver(delivery?.id ?? '')).data).toMatchObject({ redeliverWebhook: { state: 'PENDING' } })
    await world.worker.deliver()
    const [first, again] = receiver.received as [Received, Received]
    expect(again.body).toBe(first.body)
    expect(again.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(await hooks.deliveries(webhook.id)).toMatchObject([{ state: 'DELIVERED', attempts: 2 }])
  })

  it('of a webhook that is disabled is not sent again, and the error says what to do', async ({
    world,
    acme,
    hooks,
    receiver,
  }) => {
    const { webhook } = await hooks.create({ url: receiver.url })
    await acme.call(CREATE, { name: 'pump-11' })
    await world.worker.deliver()
    await hooks.update(webhook.id, { enabled: false })
    const [delivery] = await hooks.deliveries(webhook.id)
    const { errors } = await hooks.redeliver(delivery?.id ?? '')
    expect(errors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('Enable the webhook first') }])
    expect(await hooks.deliveries(webhook.id)).toEqual([delivery])
    const { id } = await hooks.test(webhook.id)
    await world.worker.deliver()
    await hooks.redeliver(id)
    await world.worker.deliver()
    expect(receiver.received).toHaveLength(3) // tests are sent also then
  })

  it('of a test reaches a webhook that is paused, and is tried once', async ({ world, hooks, receiver }) => {
    const { webhook } = await hooks.create({ url: receiver.url })
    await hooks.update(webhook.id, { enabled: false })
    receiver.answerStatus(500)
    expect(await hooks.test(webhook.id)).toMatchObject({ event: 'TEST', state: 'PENDING', attempts: 0 })
    await world.worker.deliver()
    expect(bodiesOf(receiver.received)).toMatchObject([{ type: 'test', data: { object: { id: webhook.id } } }])
    expect(await hooks.deliveries(webhook.id)).toMatchObject([{ state: 'FAILED', responseStatus: 500 }])
    expect(await hooks.find(webhook.id)).toMatchObject({ state: 'PAUSED', pausedReason: null })
  })

  it('of a test is refused while many are on their way, and one of those is not sent twice', async ({
    world,
    acme,
    hooks,
    receiver,
  }) => {
    const [first, second] = [await hooks.create({ url: receiver.url }), await hooks.create({ url: receiver.url })]
    const tests = []
    for (let i = 0; i < 8; i++) tests.push(await hooks.test(i % 2 === 0 ? first.webhook.id : second.webhook.id))
    const TEST = 'mutation ($id: ID!) { testWebhook(id: $id) { id } }'
    expect(codesOf(await acme.call(TEST, { id: first.webhook.id }))).toEqual(['LIMIT_EXCEEDED'])
    for (const { id } of tests) await hooks.redeliver(id)
    await world.worker.deliver()
    expect(receiver.received).toHaveLength(8)
    expect(codesOf(await acme.call(TEST, { id: second.webhook.id }))).toEqual([])
    receiver.answerStatus(500)
    await hooks.redeliver(tests[0]?.id ?? '')
    await world.worker.deliver()
    expect(await hooks.deliveries(first.webhook.id, 'FAILED')).toMatchObject([{ id: tests[0]?.id, attempts: 2 }])
  })

  it('is sent by one of several workers alone', async ({ world, acme, hooks, receiver }) => {
    await hooks.create({ url: receiver.url })
    for (let i = 0; i < 20; i++) await acme.call(CREATE, { name: `fleet-${i}` })
    const others = [world.startWorker(), world.startWorker()]
    await Promise.all([world.worker, ...others].map((worker) => worker.deliver()))
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect([ids.length, new Set(ids).size]).toEqual([20, 20])
  })
})
