import { createFanOut } from '../../../server/webhooks/fan-out.ts'
import { startWebhookWorker, type WebhookWorker } from '../../../server/webhooks/webhook-worker.ts'
import { backgroundOf } from './mail-world.ts'
import { startReceiver } from './webhook-receiver.ts'
import { startWorld } from './world.ts'

type Options = NonNullable<Parameters<typeof startWebhookWorker>[1]>

/** A world whose webhooks may be on this machine, with a receiver, and a worker that delivers when a test says so. */
export async function startWebhookWorld(options: Parameters<typeof startWorld>[0] & { worker?: Options } = {}) {
  const { worker: given, ...rest } = options
  const world = await startWorld({ ...rest, env: { WEBHOOK_NETWORKS: '127.0.0.0/8,::1', ...rest.env } })
  const receiver = await startReceiver()
  const { deps, runBackgroundJobs } = backgroundOf(world)
  const workers: WebhookWorker[] = []
  const startWorker = (times: Options = {}) => {
    const worker = startWebhookWorker(deps, { pollEveryMs: 3_600_000, closeWithinMs: 100, ...given, ...times })
    workers.push(worker)
    return worker
  }
  const worker = startWorker()
  return {
    ...world,
    deps,
    runBackgroundJobs,
    receiver,
    worker,
    startWorker,
    /** Makes deliveries of the events that wait, and sends none. */
    fanOut: () => createFanOut(deps, () => {}).run(),
    async close() {
      await Promise.all(workers.map((each) => each.close()))
      await receiver.close()
      await world.close()
    },
  }
}
