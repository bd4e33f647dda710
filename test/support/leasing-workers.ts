import { answerLeases } from '../../server/lib/leases/answer-workers.ts'
import type { Taken } from '../../server/lib/leases/lease.ts'
import { createLeases } from '../../server/lib/leases/leases.ts'
import type { ToWorkers } from '../../server/lib/leases/messages.ts'

/** Never, in a test. */
const LATE_MS = 2 ** 30

/** A charge and what became of it. */
export interface Charged {
  at: number
  worker: number
  points: number
  taken?: Taken
}

/**
 * Workers and their parent in one process, with a clock of the test: messages wait until they are delivered, in each
 * direction in the order in which they were sent.
 */
export function leasingWorkers({ workers: count = 2, limit = 200, windowMs = 2000, answerMs = LATE_MS } = {}) {
  let time = 10_000
  let messages = 0
  const lines = new Map<string, (() => void)[]>()
  const inParent = new Map<string, (worker: number, payload: unknown) => unknown>()
  const inWorkers = Array.from({ length: count }, () => new Map<string, (payload: unknown) => unknown>())
  const onGone: ((worker: number) => void)[] = []
  const gone = new Set<number>()

  const put = (line: string, deliver: () => void) => void lines.set(line, [...(lines.get(line) ?? []), deliver])

  function ask<Answer>(there: string, back: string, payload: unknown, answer: (payload: unknown) => unknown) {
    messages++
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const sent = structuredClone(payload)
    const reply = (answered: unknown) => put(back, () => resolve(structuredClone(answered) as Answer)) // as it was sent
    put(there, () => void Promise.resolve(answer(sent)).then(reply))
    return promise
  }

  const toWorkers: ToWorkers = {
    ask: (worker, kind, payload) =>
      gone.has(worker)
        ? Promise.reject(new Error('gone'))
        : ask(`to ${worker}`, `from ${worker}`, payload, (sent) => inWorkers[worker]?.get(kind)?.(sent)),
    onAsk: (kind, answer) => void inParent.set(kind, answer),
    onGone: (handle) => void onGone.push(handle),
  }
  answerLeases(toWorkers, () => time, { recallMs: LATE_MS })
  const leases = inWorkers.map((handlers, worker) =>
    createLeases(
      {
        ask: (kind, payload) =>
          ask(`from ${worker}`, `to ${worker}`, payload, (sent) => inParent.get(kind)?.(worker, sent)),
        onAsk: (kind, answer) => void handlers.set(kind, answer),
      },
      { workers: count, now: () => time, answerMs, defer: (send) => send() },
    ),
  )
  const charges = leases.map((each) => each.chargesOf('requests', windowMs))
  const charged: Charged[] = []

  /** One message of a line, `to 0` or `from 0`; false: there was none. */
  async function deliver(line: string): Promise<boolean> {
    const next = lines.get(line)?.shift()
    next?.()
    await new Promise((resolve) => setImmediate(resolve))
    return next !== undefined
  }

  async function deliverAll(): Promise<void> {
    for (let isBusy = true; isBusy; ) {
      isBusy = false
      for (const line of lines.keys()) isBusy = (await deliver(line)) || isBusy
    }
  }

  /** As `kill -9`: what it has sent arrives, and nothing else. */
  function kill(worker: number): void {
    if (gone.has(worker)) return
    gone.add(worker)
    lines.delete(`to ${worker}`)
    tellGone(worker)
  }

  const tellGone = (worker: number) => {
    for (const handle of onGone) handle(worker)
  }

  return {
    charged,
    deliver,
    deliverAll,
    kill,
    messages: () => messages,
    pass(ms: number) {
      time += ms
    },
    charge(worker: number, points = 1, most = limit) {
      if (gone.has(worker)) return
      const of: Charged = { at: time, worker, points }
      charged.push(of)
      const settle = (taken: Taken | undefined) => {
        if (taken && !gone.has(worker)) Object.assign(of, { taken, at: time })
      }
      const taken = charges[worker]?.('somebody', most, points)
      if (taken instanceof Promise) void taken.then(settle)
      else settle(taken)
    },
    /** It ends when the parent has what it returns, which is still on its way. */
    stop(worker: number) {
      if (gone.has(worker)) return
      void leases[worker]?.close()
      gone.add(worker)
      lines.delete(`to ${worker}`)
      put(`from ${worker}`, () => tellGone(worker))
    },
    accepted: (worker?: number) =>
      charged
        .filter((each) => each.taken?.isAccepted && (worker === undefined || each.worker === worker))
        .reduce((sum, { points }) => sum + points, 0),
    refused: () => charged.filter(({ taken }) => taken?.isAccepted === false).length,
    unanswered: () => charged.filter(({ taken, worker }) => !taken && !gone.has(worker)).length,
  }
}
