import { LIMITS, type LimitName, rateLimited } from '../config/limits.ts'
import { SECOND } from '../lib/clock.ts'
import { MAX_BLOCK_MS } from '../lib/event-loop.ts'
import { FairQueue, type Refusal } from '../lib/fair-queue.ts'

interface Sender {
  organizationId: string
  callerId: string
  isDisconnected?: (() => boolean) | undefined
}

export interface CheckingOptions {
  /** Milliseconds from an arbitrary origin. */
  now?: () => number
  patienceMs?: number
  savedMs?: number
}

/** How much may be used at once after an idle time: a process that has just started knows no document. */
const SAVED_MS = 250
/** A process that was paused, or had no processor, charges no more than this for a check: the document took no longer. */
const MAX_CHARGED_MS = 80
/** A long document waits for a turn twice, and its sender is still refused within a second. */
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
  const queue = new FairQueue<Sender & { group: string }>({
    maxWaiting: LIMITS.documents_waiting,
    maxWaitingOfGroup: LIMITS.documents_of_organization,
    patienceMs,
    isDisconnected: (sender) => sender.isDisconnected?.() ?? false,
    refusal,
  })
  const used = createUsed(now())
  let left = savedMs
  let at = now()
  let usedInTurn = 0
  let isAwake = false

  const beginTurn = () => {
    usedInTurn = 0
  }

  function isFree(): boolean {
    const time = now()
    left = Math.min(savedMs, left + (time - at) * share)
    at = time
    return left > 0 && usedInTurn < MAX_BLOCK_MS
  }

  function check<Result>({ organizationId, callerId }: Sender, work: () => Result): Result {
    const startedAt = now()
    try {
      return work()
    } finally {
      const endedAt = now()
      const ms = Math.min(endedAt - startedAt, MAX_CHARGED_MS)
      left -= ms
      if (usedInTurn === 0) setImmediate(beginTurn)
      usedInTurn += ms
      used.add(organizationId, callerId, ms, endedAt)
      serveNext()
    }
  }

  /** If there is time for another in this iteration of the event loop. */
  function serveNext(): void {
    if (isFree()) queue.nextBy(usedLess)?.resolve()
  }

  function wake(): void {
    if (isAwake || queue.size === 0) return
    isAwake = true
    const goOn = () => {
      isAwake = false
      serveNext()
      wake()
    }
    if (left > 0) setImmediate(goOn)
    else setTimeout(goOn, Math.ceil(-left / share))
  }

  function usedLess(one: Sender, other: Sender): boolean {
    const byOrganization = used.of(one.organizationId) - used.of(other.organizationId)
    return (byOrganization || used.of(one.callerId) - used.of(other.callerId)) < 0
  }

  /** Does the work as soon as there is time for it; refuses when there is none soon. */
  return async <Result>(sender: Sender, work: () => Result): Promise<Result> => {
    if (queue.size > 0 || !isFree()) {
      const turn = queue.wait({ ...sender, group: sender.organizationId })
      wake()
      await turn
    }
    return check(sender, work)
  }
}

const LIMIT_OF: Record<Refusal, LimitName> = {
  'group full': 'documents_of_organization',
  full: 'documents_waiting',
  late: 'documents',
  disconnected: 'documents',
}

const refusal = (reason: Refusal) =>
  rateLimited(
    LIMIT_OF[reason],
    SECOND,
    'Too many new documents. Send values as variables, in the same document, and wait for the time in Retry-After.',
  )

/** Milliseconds by name; every second, half of them are forgotten. */
function createUsed(since: number) {
  const all = new Map<string, number>()
  let halvedAt = since

  function forget(time: number): void {
    if (time - halvedAt < SECOND) return
    halvedAt = time
    for (const [name, ms] of all) {
      if (ms < 1) all.delete(name)
      else all.set(name, ms / 2)
    }
  }

  return {
    of: (name: string) => all.get(name) ?? 0,
    add(organization: string, caller: string, ms: number, time: number) {
      forget(time)
      all.set(organization, (all.get(organization) ?? 0) + ms)
      all.set(caller, (all.get(caller) ?? 0) + ms)
    },
  }
}
