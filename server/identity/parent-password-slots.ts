import { AppError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'
import { ConcurrencyLimit } from '../lib/concurrency-limit.ts'
import type { ToParent, ToWorkers } from '../lib/leases/messages.ts'
import { PASSWORDS_AT_ONCE } from './passwords-at-once.ts'

const TAKE = 'take-password-slot'
const RETURN = 'return-password-slot'
/** The parent refuses sooner than a worker gives up waiting for its answer. */
const PATIENCE_MS = 4 * SECOND
/** A worker asks for no more at once than it has threads. */
const MAX_WAITING_OF_WORKER = 64
const MAX_WAITING = 64 * MAX_WAITING_OF_WORKER

interface SlotOptions {
  size?: number
  patienceMs?: number
}

/** Runs a task in one of the slots that all workers of one parent share: two messages for each. */
export type InPasswordSlot = <Result>(task: () => Promise<Result>) => Promise<Result>

export function createPasswordSlots(parent: ToParent): InPasswordSlot {
  let count = 0
  return async (task) => {
    const slot = ++count
    try {
      await take(parent, slot)
      return await task()
    } finally {
      parent.ask(RETURN, slot).catch(() => {}) // also when there was no answer in time: the parent may have granted it
    }
  }
}

async function take(parent: ToParent, slot: number): Promise<void> {
  const unavailable = (cause?: unknown) => new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause })
  const isGranted = await parent.ask<boolean>(TAKE, slot).catch((error) => {
    throw unavailable(error)
  })
  if (!isGranted) throw unavailable()
}

/** In the parent: so many passwords are hashed at once by all of its workers. They take turns. */
export function sharePasswordSlots(
  workers: ToWorkers,
  { size = PASSWORDS_AT_ONCE, patienceMs = PATIENCE_MS }: SlotOptions = {},
): void {
  const limit = new ConcurrencyLimit({
    atOnce: size,
    atOnceOfGroup: size,
    maxWaiting: MAX_WAITING,
    maxWaitingOfGroup: MAX_WAITING_OF_WORKER,
    patienceMs,
    refusal: (reason) => new Error(reason),
  })
  const ends = new Map<number, Map<number, () => void>>() // of each worker, by slot

  function granted(worker: number, slot: number): Promise<boolean> {
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const { promise, resolve: answer } = Promise.withResolvers<boolean>()
    let isOver = false
    const end = () => {
      isOver = true
      resolve()
    }
    ends.set(worker, (ends.get(worker) ?? new Map()).set(slot, end))
    const hold = () => {
      answer(true)
      return over
    }
    limit.run(String(worker), hold, () => isOver).catch(() => answer(false))
    return promise
  }

  workers.onAsk(TAKE, (worker, slot) => granted(worker, slot as number)) // both ends are of one release
  workers.onAsk(RETURN, (worker, slot) => {
    ends.get(worker)?.get(slot as number)?.()
    ends.get(worker)?.delete(slot as number)
  })
  workers.onGone((worker) => {
    for (const end of ends.get(worker)?.values() ?? []) end()
    ends.delete(worker)
  })
}
