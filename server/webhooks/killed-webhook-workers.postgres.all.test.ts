import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { plainEnv } from '../../test/support/environment.ts'
import { ROOT } from '../../test/support/sources.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { startWebhookWorld } from '../../test/support/world/webhook-world.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'

const WORKER = fileURLToPath(import.meta.resolve('../../test/support/process/webhook-worker.ts'))
/** Six workers are started: each would compile everything anew. */
const COMPILED = join(ROOT, 'node_modules/.cache/compiled')
const DEVICES = 12
const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'

const it = inOrganization(() => startWebhookWorld({ now: Date.now }))

it('every event is delivered, with the same id and body each time, by two replicas that are killed while they send', {
  timeout: 60_000,
}, async ({ world, acme, onTestFinished }) => {
  const { receiver, database, storage, config } = world
  const hooks = webhooksAs(acme.call)
  const { webhook } = await hooks.create({ url: receiver.url })
  for (let i = 0; i < DEVICES; i++) await acme.call(CREATE, { name: `pump-${i}` })
  const env = { ...plainEnv(), ...storage.env, WEBHOOK_NETWORKS: config.webhookNetworks.join() }
  const workers = new Set<ChildProcess>()
  onTestFinished(() => killAll(workers))

  /** Two replicas are at work until the receiver has so many requests; they are killed before they have its answer. */
  async function killAt(requests: number): Promise<void> {
    const reached = Promise.withResolvers<void>()
    receiver.answerWith((_received, response) => {
      if (receiver.received.length < requests) response.writeHead(204).end()
      else reached.resolve()
    })
    for (let i = 0; i < 2; i++) workers.add(startWorker(env))
    await reached.promise
    await killAll(workers)
    await database.transaction((db) =>
      db.updateTable('webhookDelivery').set({ nextAttemptAt: 0 }).where('state', '=', 'PENDING').execute(),
    ) // as when the lease is over
  }

  await killAt(3)
  await killAt(8)
  receiver.answerStatus(204)
  workers.add(startWorker(env))
  await expect
    .poll(async () => (await hooks.deliveries(webhook.id, 'DELIVERED')).length, { timeout: 30_000 })
    .toBe(DEVICES)
  const bodies = Map.groupBy(receiver.received, ({ headers }) => headers['webhook-id'])
  expect(bodies.size).toBe(DEVICES)
  expect(receiver.received.length).toBeGreaterThan(DEVICES) // what was killed in between came again
  for (const same of bodies.values()) expect(new Set(same.map(({ body }) => body)).size).toBe(1)
})

const startWorker = (env: NodeJS.ProcessEnv) =>
  spawn(process.execPath, [WORKER], { env: { ...env, NODE_COMPILE_CACHE: COMPILED }, stdio: 'ignore' })

async function killAll(workers: Set<ChildProcess>): Promise<void> {
  const alive = [...workers].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  workers.clear()
  await Promise.all(
    alive.map((worker) => {
      const exited = once(worker, 'exit')
      worker.kill('SIGKILL')
      return exited
    }),
  )
}
