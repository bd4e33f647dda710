import { beginOfWindow } from './allowance.ts'
import type { Held, LeaseAnswer } from './messages.ts'

/** Whether a charge is accepted, and what is left. */
export interface Taken {
  isAccepted: boolean
  remaining: number
  msBeforeNext: number
}

/** A charge that waits for an answer of the parent. */
interface Waiting {
  points: number
  settle: (taken: Taken) => void
}

/** What this worker may spend of one limit of one caller, and who waits for more of it. */
export interface Lease {
  readonly id: string
  limit: number
  windowEnd: number
  /** For this window, as the parent counts it too. */
  received: number
  unspent: number
  /** How much came last. */
  chunk: number
  /** What was left for all when the parent answered last, without what is held here. */
  left: number
  standing: number
  standingUntil: number
  /** The parent has refused: nothing is left in this window. */
  isSpent: boolean
  isAsking: boolean
  /** What is held will be returned, not spent: the limit has changed. */
  isReturning: boolean
  waiting: Waiting[]
  /** What was spent without the parent, while it did not answer. */
  alone: { windowEnd: number; spent: number }
}

export const newLease = (id: string, limit: number): Lease => ({
  id,
  limit,
  windowEnd: 0,
  received: 0,
  unspent: 0,
  chunk: 0,
  left: 0,
  standing: 0,
  standingUntil: 0,
  isSpent: false,
  isAsking: false,
  isReturning: false,
  waiting: [],
  alone: { windowEnd: 0, spent: 0 },
})

export const isOver = ({ windowEnd, standingUntil, isAsking, alone }: Lease, at: number) =>
  !isAsking && at >= windowEnd && at >= standingUntil && at >= alone.windowEnd

/**
 * Moves the lease to the window of now: what was unspent is void, and there is the standing share. What is only to be
 * returned may be older than it could be spent, but not older than the parent has reserved it.
 */
export function moveTo(lease: Lease, windowMs: number, at: number, isToReturn = false): void {
  const isSetBack = at < lease.windowEnd - windowMs // the clock of the machine
  if (at < lease.windowEnd && !isSetBack) return
  const began = beginOfWindow({ ...lease, windowMs }, at)
  const hasShare = !isSetBack && lease.standing > 0 && (isToReturn ? began : at) < lease.standingUntil
  if (!hasShare) lease.standing = 0
  lease.windowEnd = hasShare ? began + windowMs : 0
  lease.received = lease.standing
  lease.unspent = lease.standing
  lease.chunk = lease.standing
  lease.left = lease.limit - lease.standing
  lease.isSpent = false
}

/** Takes over what the parent answers. */
export function apply(lease: Lease, answer: Exclude<LeaseAnswer, { is: 'recalling' }>): void {
  if (answer.windowEnd < lease.windowEnd) return // it comes too late: that window is over
  if (answer.windowEnd > lease.windowEnd) {
    lease.windowEnd = answer.windowEnd
    lease.received = 0
    lease.unspent = 0
    lease.isSpent = false
  }
  if (answer.is === 'refused') {
    lease.isSpent = true
    lease.unspent = 0
    lease.left = 0
    return
  }
  lease.received += answer.points
  lease.unspent += answer.points
  lease.chunk = answer.points
  lease.left = answer.left
  lease.standing = answer.standing
  lease.standingUntil = answer.standingUntil
}

export const heldOf = ({ windowEnd, received, unspent }: Lease): Held => ({ windowEnd, received, unspent })

/** Spends, if there is enough. */
export function spend(lease: Lease, points: number, at: number): Taken | undefined {
  if (lease.isSpent) return { isAccepted: false, remaining: 0, msBeforeNext: lease.windowEnd - at }
  if (lease.isReturning || lease.unspent < points) return undefined
  lease.unspent -= points
  const remaining = Math.min(lease.limit, lease.unspent + lease.left)
  return { isAccepted: true, remaining, msBeforeNext: lease.windowEnd - at }
}

/** Spends of the share of this worker alone. One charge is never larger than it. */
export function spendAlone(
  { alone, limit }: Lease,
  points: number,
  at: number,
  rule: { windowMs: number; workers: number },
): Taken {
  if (at >= alone.windowEnd || at < alone.windowEnd - rule.windowMs)
    Object.assign(alone, { windowEnd: at + rule.windowMs, spent: 0 })
  const share = Math.max(1, Math.floor(limit / rule.workers))
  alone.spent += Math.min(points, share)
  return {
    isAccepted: alone.spent <= share,
    remaining: Math.max(0, share - alone.spent),
    msBeforeNext: alone.windowEnd - at,
  }
}
