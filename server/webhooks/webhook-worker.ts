import type { Deps } from '../caller/deps.ts'
import { webhookQueue } from '../config/counts.ts'
import type { WebhookDeliveryTable } from '../db/webhook-tables.ts'
import { SECOND } from '../lib/clock.ts'
import { within } from '../lib/within.ts'
import { createAttempt } from './attempt.ts'
import { claimDeliveries, claimTests, dueWebhooks } from './delivery-queue.ts'
import { createFanOut } from './fan-out.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { SEND_TIMES } from './send.ts'
import { createSlots } from './slots.ts'

export const WEBHOOK_WORKER_TIMES = { pollEveryMs: SECOND, closeWithinMs: 7 * SECOND, ...SEND_TIMES }

interface WorkerOptions extends Partial<typeof WEBHOOK_WORKER_TIMES> {
  resolve?: Resolve
}

/** Sends what is due to webhooks. Every replica has a worker; a delivery is claimed by one of them at a time. */
export interface WebhookWorker {
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
        void poll()
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
      const deliveries = await claimDeliveries(database, webhook, now(), room)
      for (const delivery of deliveries) start(delivery, slots.take(webhook))
      claimed += deliveries.length
    }
    return claimed > 0
  }

  let polling: Promise<boolean> | undefined
  let pollsAgain = false

  /** One poll at a time; whoever asks meanwhile gets another one after it. */
  function poll(): Promise<boolean> {
    if (isClosed) return Promise.resolve(false)
    pollsAgain = polling !== undefined
    polling ??= claimDue()
      .catch((err) => {
        log.warn({ err }, 'deliveries to webhooks could not be read; they will be tried again')
        return false
      })
      .finally(() => {
        polling = undefined
        if (pollsAgain) void poll()
      })
    return polling
  }

  const fanOut = createFanOut(deps, () => void poll())
  const timer = setInterval(() => {
    void fanOut.run()
    void poll()
  }, times.pollEveryMs)
  timer.unref()

  return {
    async deliver() {
      await fanOut.run() // it may have begun before what is due now was
      await fanOut.run()
      await polling // as above
      while ((await poll()) || inProgress.size > 0) await Promise.all(inProgress)
    },
    async close() {
      isClosed = true
      clearInterval(timer)
      await fanOut.close()
      await polling
      const late = () => new Error('A delivery took too long.')
      await within(times.closeWithinMs, Promise.all(inProgress), late).catch((err) =>
        log.warn({ err }, 'deliveries to webhooks are left in the queue'),
      )
    },
  }
}
