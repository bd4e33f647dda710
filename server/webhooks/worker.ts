import type { WebhookDeliveryTable } from '../db/webhook-tables.ts'
import type { Deps } from '../deps.ts'
import { SECOND } from '../lib/clock.ts'
import { webhookQueue } from '../lib/counts.ts'
import { within } from '../lib/within.ts'
import { createAttempt } from './attempt.ts'
import { createFanOut } from './fan-out.ts'
import { claimDeliveries, claimTests, dueWebhooks } from './queue.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { SEND_TIMES } from './send.ts'
import { createSlots } from './slots.ts'

export const WEBHOOK_WORKER_TIMES = { lookEveryMs: SECOND, closeWithinMs: 7 * SECOND, ...SEND_TIMES }

/** Settings that tests change. */
interface WorkerOptions extends Partial<typeof WEBHOOK_WORKER_TIMES> {
  resolve?: Resolve
}

/** Sends what is due to webhooks. Every replica has a worker; a delivery is claimed by one of them at a time. */
export interface WebhookWorker {
  /** Sends what is due now, and waits for it. */
  deliver(): Promise<void>
  /** Claims nothing more. Waits for what is in progress, but not for ever: another worker then sends it again. */
  close(): Promise<void>
}

/** Looks for events that wait and deliveries that are due every second, and for those also after each attempt. */
export function startWebhookWorker(deps: Deps, options: WorkerOptions = {}): WebhookWorker {
  const times = { ...WEBHOOK_WORKER_TIMES, ...options }
  const { database, now, log } = deps
  const attempt = createAttempt(deps, { resolve: options.resolve ?? createResolve(), times })
  const slots = createSlots()
  const inProgress = new Set<Promise<void>>()
  let testsInProgress = 0
  let isClosed = false

  function start(delivery: WebhookDeliveryTable, release: (tookMs: number) => void): void {
    const began = now()
    const work = attempt(delivery)
      .catch((err) => log.warn({ err, delivery: delivery.id }, 'an attempt to deliver could not be recorded'))
      .finally(() => {
        release(now() - began)
        inProgress.delete(work)
        void look()
      })
    inProgress.add(work)
  }

  /** Claims as much as there is room for; returns whether anything was. */
  async function claimDue(): Promise<boolean> {
    const tests = await claimTests(database, now(), testsInProgress)
    testsInProgress += tests.length
    for (const test of tests) start(test, () => void testsInProgress--)
    const due = await dueWebhooks(database.read, now())
    webhookQueue.lagMs = Math.max(0, ...due.map(({ dueSince }) => now() - dueSince))
    let claimed = tests.length
    for (const webhook of slots.inTurn(due)) {
      const room = slots.roomFor(webhook)
      if (isClosed || room === 0) continue
      const deliveries = await claimDeliveries(database, webhook.id, now(), room)
      for (const delivery of deliveries) start(delivery, slots.take(webhook))
      claimed += deliveries.length
    }
    return claimed > 0
  }

  let looking: Promise<boolean> | undefined
  let isAskedAgain = false

  /** One look at a time; whoever asks meanwhile gets another one after it. */
  function look(): Promise<boolean> {
    if (isClosed) return Promise.resolve(false)
    isAskedAgain = looking !== undefined
    looking ??= claimDue()
      .catch((err) => {
        log.warn({ err }, 'deliveries to webhooks could not be read; they will be tried again')
        return false
      })
      .finally(() => {
        looking = undefined
        if (isAskedAgain) void look()
      })
    return looking
  }

  const fanOut = createFanOut(deps, () => void look())
  const timer = setInterval(() => {
    void fanOut.run()
    void look()
  }, times.lookEveryMs)
  timer.unref()

  return {
    async deliver() {
      await fanOut.run() // it may have begun before what is due now was
      await fanOut.run()
      await looking // as above
      while ((await look()) || inProgress.size > 0) await Promise.all(inProgress)
    },
    async close() {
      isClosed = true
      clearInterval(timer)
      await fanOut.close()
      await looking
      const late = () => new Error('A delivery took too long.')
      await within(times.closeWithinMs, Promise.all(inProgress), late).catch((err) =>
        log.warn({ err }, 'deliveries to webhooks are left in the queue'),
      )
    },
  }
}
