import { SECOND } from '../lib/clock.ts'
import { MAX_BLOCK_MS } from '../lib/event-loop.ts'
import { LIMITS, rateLimited } from '../limits.ts'

/** Who sent the document. */
interface Sender {
  organizationId: string
  callerId: string
  isDisconnected?: (() => boolean) | undefined
}

type DocumentLimit = 'documents' | 'documents_of_organization' | 'documents_waiting'

interface Waiting extends Sender {
  start(): void
  giveUp(limit?: DocumentLimit): void
}

interface CheckingOptions {
  /** Milliseconds from an arbitrary origin. */
  now?: () => number
  patienceMs?: number
  savedMs?: number
}

/** How much may be used at once after an idle time: a process that has just started knows no document. */
const SAVED_MS = 250
/** A process that was paused, or had no processor, charges no more than this for a check: the document took no longer. */
const MAX_CHARGED_MS = 80
/** Parsing and validating wait separately: even when both wait, the sender is refused within a second. */
export const PATIENCE_MS = 400

/**
 * A share of the event loop for documents that are not cached: parsing and validating them takes no more of each
 * second, whoever sends them. Beyond it they wait, and the organization that has used the least recently goes first,
 * then the caller in it. Cached documents do not wait.
 */
export function createChecking({
  now = () => performance.now(),
  patienceMs = PATIENCE_MS,
  savedMs = SAVED_MS,
}: CheckingOptions = {}) {
  const share = LIMITS.documents / SECOND
  const waiting = new Set<Waiting>()
  const waitingOf = new Map<string, number>() // by organization
  const used = createUsed(now)
  let left = savedMs
  let at = now()
  let usedInTurn = 0
  let isAwake = false

  const beginTurn = () => {
    usedInTurn = 0
  }

  function isFree(): boolean {
    left = Math.min(savedMs, left + (now() - at) * share)
    at = now()
    return left > 0 && usedInTurn < MAX_BLOCK_MS
  }

  function check<Result>({ organizationId, callerId }: Sender, work: () => Result): Result {
    const startedAt = now()
    try {
      return work()
    } finally {
      const ms = Math.min(now() - startedAt, MAX_CHARGED_MS)
      left -= ms
      if (usedInTurn === 0) setImmediate(beginTurn)
      usedInTurn += ms
      used.add(organizationId, ms)
      used.add(callerId, ms)
    }
  }

  function wake(): void {
    if (isAwake || waiting.size === 0) return
    isAwake = true
    const goOn = () => {
      isAwake = false
      if (isFree()) next()?.start()
      wake()
    }
    if (left > 0) setImmediate(goOn)
    else setTimeout(goOn, Math.ceil(-left / share))
  }

  function next(): Waiting | undefined {
    let least: Waiting | undefined
    for (const one of waiting) {
      if (one.isDisconnected?.()) one.giveUp()
      else if (!least || usedLess(one, least)) least = one
    }
    return least
  }

  function usedLess(one: Sender, other: Sender): boolean {
    const byOrganization = used.of(one.organizationId) - used.of(other.organizationId)
    return (byOrganization || used.of(one.callerId) - used.of(other.callerId)) < 0
  }

  function countWaiting({ organizationId }: Sender, more: number): void {
    const count = (waitingOf.get(organizationId) ?? 0) + more
    if (count > 0) waitingOf.set(organizationId, count)
    else waitingOf.delete(organizationId)
  }

  /**
   * When the queue is full, the organization with the most waiting documents loses its last one to an organization with
   * fewer.
   */
  function makeRoom(own: number): void {
    const most = Math.max(...waitingOf.values())
    if (own >= most - 1) throw tooMany('documents_waiting')
    const last = [...waiting].findLast(({ organizationId }) => waitingOf.get(organizationId) === most)
    last?.giveUp('documents_waiting')
  }

  function waitFor<Result>(sender: Sender, work: () => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const leave = () => {
      clearTimeout(timer)
      waiting.delete(one)
      countWaiting(sender, -1)
    }
    const one: Waiting = {
      ...sender,
      start() {
        leave()
        try {
          resolve(check(sender, work))
        } catch (error) {
          reject(error)
        }
      },
      giveUp(limit = 'documents') {
        leave()
        reject(tooMany(limit))
      },
    }
    const timer = setTimeout(() => one.giveUp(), patienceMs)
    waiting.add(one)
    countWaiting(sender, 1)
    wake()
    return promise
  }

  /** Does the work at once, or as soon as there is time for it; throws when there is none soon. */
  return async <Result>(sender: Sender, work: () => Result): Promise<Result> => {
    if (waiting.size === 0 && isFree()) return check(sender, work)
    const own = waitingOf.get(sender.organizationId) ?? 0
    if (own >= LIMITS.documents_of_organization) throw tooMany('documents_of_organization')
    if (waiting.size >= LIMITS.documents_waiting) makeRoom(own)
    return waitFor(sender, work)
  }
}

const tooMany = (limit: DocumentLimit) =>
  rateLimited(
    limit,
    SECOND,
    'Too many new documents. Send values as variables, in the same document, and wait for the time in Retry-After.',
  )

/** Milliseconds by name; every second, half of them are forgotten. */
function createUsed(now: () => number) {
  const all = new Map<string, number>()
  let halvedAt = now()

  function forget(): void {
    if (now() - halvedAt < SECOND) return
    halvedAt = now()
    for (const [name, ms] of all) {
      if (ms < 1) all.delete(name)
      else all.set(name, ms / 2)
    }
  }

  return {
    of: (name: string) => all.get(name) ?? 0,
    add(name: string, ms: number) {
      forget()
      all.set(name, (all.get(name) ?? 0) + ms)
    },
  }
}
