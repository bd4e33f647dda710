import { type Clock, MINUTE, SECOND, systemClock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { answeredWithin } from '../within.ts'
import { apply, heldOf, isOver, type Lease, moveTo, newLease, spend, spendAlone, type Taken } from './lease.ts'
import {
  type Counted,
  LEASE,
  LEASE_AFTER_RECALL,
  type LeaseAnswer,
  type LeaseRequest,
  RECALL,
  RETURN,
  type ReturnedLease,
  type ToParent,
} from './messages.ts'
import { SweptMap } from './swept-map.ts'

/** How long a charge waits for the parent. */
const ANSWER_MS = SECOND
/** How long this worker then counts alone, before it asks again. */
const ALONE_MS = SECOND
const WARN_AGAIN_AFTER_MS = MINUTE
/** From a smaller lease on it asks when it needs more, not before. */
const SMALLEST_TO_ASK_EARLY = 8

/** Charges points for one limit of a caller. */
export type Charge = (id: string, limit: number, points: number) => MaybePromise<Taken>

/** Limits that this worker counts together with the others: it spends what it leases from their parent. */
export interface Leases {
  readonly parent: ToParent
  /** How often the parent was asked for a lease, several of them at once counted as one. */
  readonly requests: number
  chargesOf(name: string, windowMs: number): Charge
  /** Returns what is not spent. */
  close(): Promise<void>
}

interface Options {
  /** The number of workers: while the parent does not answer, each has an equal share. */
  workers: number
  /** The one of the parent, too: it has the windows. */
  now?: Clock
  log?: Log | undefined
  answerMs?: number
  /** When requests are sent: all those of one turn of the event loop together. */
  defer?: (send: () => void) => void
}

/** The leases for one limit, by caller. */
interface Kind {
  name: string
  windowMs: number
  leases: SweptMap<Lease>
}

interface Asking {
  kind: Kind
  lease: Lease
}

export function createLeases(parent: ToParent, options: Options): Leases {
  const { workers, now = systemClock, log, answerMs = ANSWER_MS, defer = setImmediate } = options
  const kinds = new Map<string, Kind>()
  let unsent: Asking[] = []
  let aloneUntil = 0
  let warnedAt = Number.NEGATIVE_INFINITY
  let requests = 0

  function charge(kind: Kind, id: string, limit: number, points: number): MaybePromise<Taken> {
    const at = now()
    const lease = kind.leases.get(id) ?? kind.leases.add(id, newLease(id, limit))
    moveTo(lease, kind.windowMs, at)
    if (lease.limit !== limit) changeLimit(lease, limit)
    const taken = lease.waiting.length === 0 ? spend(lease, points, at) : undefined
    if (taken) {
      if (isRunningOut(lease) && at >= aloneUntil) askFor({ kind, lease })
      return taken
    }
    const { promise, resolve: settle } = Promise.withResolvers<Taken>()
    lease.waiting.push({ points, settle })
    serve({ kind, lease })
    return promise
  }

  /** Those who wait, in order; asks for more if it is not enough for them. */
  function serve(asking: Asking): void {
    const { kind, lease } = asking
    const at = now()
    moveTo(lease, kind.windowMs, at)
    let served = 0
    for (const { points, settle } of lease.waiting) {
      const taken =
        spend(lease, points, at) ?? (at < aloneUntil ? spendAlone(lease, points, at, { ...kind, workers }) : undefined)
      if (!taken) break
      settle(taken)
      served++
    }
    lease.waiting.splice(0, served)
    if (lease.waiting.length > 0) askFor(asking)
  }

  function askFor(asking: Asking): void {
    if (asking.lease.isAsking) return
    asking.lease.isAsking = true
    unsent.push(asking)
    if (unsent.length === 1) defer(sendAll)
  }

  function sendAll(): void {
    const all = unsent
    unsent = []
    void send(LEASE, all)
  }

  async function send(kind: typeof LEASE | typeof LEASE_AFTER_RECALL, all: Asking[]): Promise<void> {
    requests++
    const answered = parent.ask<LeaseAnswer[]>(kind, all.map(requestOf)).then((answers) => {
      aloneUntil = 0
      for (const [i, asking] of all.entries()) receive(asking, answers[i])
    })
    try {
      await answeredWithin(answerMs, answered)
    } catch (error) {
      warn(error)
      aloneUntil = now() + ALONE_MS
      for (const asking of all) end(asking)
    }
  }

  /** At most once a minute. */
  function warn(err: unknown): void {
    if (performance.now() - warnedAt < WARN_AGAIN_AFTER_MS) return
    warnedAt = performance.now()
    log?.warn({ err }, 'the parent does not answer: limits are counted by this worker alone until it does')
  }

  function receive(asking: Asking, answer: LeaseAnswer | undefined): void {
    if (answer?.is === 'recalling') return void send(LEASE_AFTER_RECALL, [asking])
    if (answer) apply(asking.lease, answer)
    end(asking)
  }

  function end(asking: Asking): void {
    asking.lease.isAsking = false
    serve(asking)
  }

  parent.onAsk(RECALL, (payload) => {
    const { name, id } = payload as Counted // both ends are of one release
    const kind = kinds.get(name)
    const lease = kind?.leases.get(id)
    return kind && lease ? giveUp(kind, lease) : { windowEnd: 0, received: 0, unspent: 0 }
  })

  /** What it held; from now on nothing, in this window. */
  function giveUp({ windowMs }: Kind, lease: Lease) {
    moveTo(lease, windowMs, now(), true)
    const held = heldOf(lease)
    lease.unspent = 0
    return held
  }

  return {
    parent,
    get requests() {
      return requests
    },
    chargesOf(name, windowMs) {
      const leases = new SweptMap<Lease>((lease) => isOver(lease, now()))
      const kind = { name, windowMs, leases }
      kinds.set(name, kind)
      return (id, limit, points) => charge(kind, id, limit, points)
    },
    async close() {
      const returned: ReturnedLease[] = []
      for (const kind of kinds.values()) {
        for (const lease of kind.leases.values()) {
          if (isOver(lease, now())) continue
          returned.push({ counted: countedOf(kind, lease), held: giveUp(kind, lease) })
        }
      }
      if (returned.length > 0) await answeredWithin(answerMs, parent.ask(RETURN, returned)).catch(warn)
    },
  }
}

const countedOf = ({ name, windowMs }: Kind, { id, limit }: Lease): Counted => ({ name, id, limit, windowMs })

function requestOf({ kind, lease }: Asking): LeaseRequest {
  const held = heldOf(lease)
  const returnsHeld = lease.isReturning
  if (returnsHeld) lease.unspent = 0
  lease.isReturning = false
  let wanted = -lease.unspent
  for (const { points } of lease.waiting) wanted += points
  const needed = Math.max(0, (lease.waiting[0]?.points ?? 0) - lease.unspent)
  return { ...countedOf(kind, lease), needed, wanted: Math.max(0, wanted), held, returnsHeld }
}

/** What it holds belongs to the limit before: it is returned with the next request, and nothing of it spent. */
function changeLimit(lease: Lease, limit: number): void {
  lease.limit = limit
  lease.isReturning = true
  lease.isSpent = false
}

const isRunningOut = ({ isAsking, chunk, unspent }: Lease) =>
  !isAsking && chunk >= SMALLEST_TO_ASK_EARLY && unspent <= chunk / 4
