import { answerBackoffs } from '../../server/identity/parent-backoff.ts'
import type { Clock } from '../../server/lib/clock.ts'
import { answerLeases } from '../../server/lib/leases/answer-workers.ts'
import { createLeases, type Leases } from '../../server/lib/leases/leases.ts'
import type { ToWorkers } from '../../server/lib/leases/messages.ts'

type Answer = (payload: unknown) => unknown

/** A parent that counts for workers in this process. It can be made to answer nobody. */
export function inProcessParent(workers: number, now: Clock, { answerMs = 60_000 } = {}) {
  const inParent = new Map<string, (worker: number, payload: unknown) => unknown>()
  const inWorkers = Array.from({ length: workers }, () => new Map<string, Answer>())
  const counts = { asked: 0, recalled: 0 }
  let isSilent = false

  /** As between processes: copied, and not at once. */
  async function pass<Result>(answer: Answer | undefined, payload: unknown): Promise<Result> {
    const sent = JSON.parse(JSON.stringify(payload))
    await new Promise((resolve) => setImmediate(resolve))
    if (isSilent) await new Promise(() => {})
    return JSON.parse(JSON.stringify((await answer?.(sent)) ?? null))
  }

  const toWorkers: ToWorkers = {
    ask(worker, kind, payload) {
      counts.recalled++
      return pass(inWorkers[worker]?.get(kind), payload)
    },
    onAsk: (kind, answer) => void inParent.set(kind, answer),
    onGone: () => {},
  }
  answerLeases(toWorkers, now, { recallMs: answerMs })
  answerBackoffs(toWorkers, now)

  const leasesOf = (worker: number): Leases =>
    createLeases(
      {
        ask(kind, payload) {
          counts.asked++
          return pass((sent) => inParent.get(kind)?.(worker, sent), payload)
        },
        onAsk: (kind, answer) => void inWorkers[worker]?.set(kind, answer),
      },
      { workers, now, answerMs },
    )

  return {
    counts,
    leases: inWorkers.map((_, worker) => leasesOf(worker)),
    /** From now on. */
    fallSilent() {
      isSilent = true
    },
  }
}
