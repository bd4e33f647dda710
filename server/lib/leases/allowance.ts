import { MINUTE, SECOND } from '../clock.ts'
import type { Held, LeaseAnswer, LeaseRequest } from './messages.ts'

/** A worker has a standing share for this many windows after it asked last. */
const STANDING_WINDOWS = 10
/** In longer windows there are no standing shares: one lease lasts for a while. */
const LONGEST_STANDING_MS = 6 * SECOND
/** Of a limit in a window longer than a minute, the part that one lease has at most: it is lost with its worker. */
const PART_OF_LONG_WINDOW = 1 / 32

/** What a worker has of an allowance. */
interface Holder {
  /** Given to it for this window. */
  given: number
  /** The most of it that is not spent yet. */
  outstanding: number
  /** What it has in each following window without asking, in those that begin before that time. */
  standing: number
  standingUntil: number
}

/** What a limit allows to one caller in a window of time, and which worker has which part of it. */
export interface Allowance {
  limit: number
  windowMs: number
  windowEnd: number
  /** What was given and not returned: it counts as spent. */
  taken: number
  holders: Map<number, Holder>
}

export const newAllowance = (limit: number, windowMs: number, at: number): Allowance => ({
  limit,
  windowMs,
  windowEnd: at + windowMs,
  taken: 0,
  holders: new Map(),
})

/** Nobody can spend any of it. */
export const isOver = ({ windowEnd, holders }: Allowance, at: number) =>
  at >= windowEnd && [...holders.values()].every(({ standingUntil }) => at >= standingUntil)

/** When the window began in which it is now, counted from one that is over. */
export const beginOfWindow = ({ windowEnd, windowMs }: Pick<Allowance, 'windowEnd' | 'windowMs'>, at: number) =>
  at - ((at - windowEnd) % windowMs)

/** Windows follow each other as long as a worker has a standing share in them; otherwise the next one begins now. */
export function moveTo(allowance: Allowance, at: number): void {
  const { holders, windowEnd, windowMs } = allowance
  const isSetBack = at < windowEnd - windowMs // the clock of the machine: no worker spends what it has
  if (at < windowEnd && !isSetBack) return
  if (isSetBack) holders.clear()
  const began = beginOfWindow(allowance, at)
  allowance.taken = 0
  for (const [worker, holder] of holders) {
    if (holder.standing === 0 || holder.standingUntil <= began) holders.delete(worker)
    else {
      holder.given = holder.standing
      holder.outstanding = holder.standing
      allowance.taken += holder.standing
    }
  }
  allowance.windowEnd = (holders.size > 0 ? began : at) + windowMs
}

/** Takes over what a worker says that it holds. What was sent to it and has not arrived yet is still outstanding. */
export function noteHeld(allowance: Allowance, worker: number, held: Held, isReturned: boolean): void {
  const holder = allowance.holders.get(worker)
  if (!holder || held.windowEnd !== allowance.windowEnd) return
  const onTheWay = holder.given - held.received
  holder.outstanding = isReturned ? onTheWay : onTheWay + held.unspent
  if (isReturned) allowance.taken -= held.unspent
}

export const freeOf = ({ limit, taken }: Allowance) => Math.max(0, limit - taken)

/** The other workers that may have some of it left. */
export const othersHolding = ({ holders }: Allowance, worker: number): [number, Holder][] =>
  [...holders].filter(([id, { outstanding }]) => id !== worker && outstanding > 0)

/** Half of what is free for the first worker, a third beside another one and so on, but at least what is wanted. */
export function grant(allowance: Allowance, worker: number, request: LeaseRequest, at: number): LeaseAnswer {
  const { limit, windowMs, windowEnd, holders } = allowance
  const others = othersHolding(allowance, worker)
  const most = windowMs > MINUTE ? Math.floor(limit * PART_OF_LONG_WINDOW) : limit
  const share = Math.min(most, Math.floor(freeOf(allowance) / (others.length + 2)))
  const points = Math.min(freeOf(allowance), Math.max(share, request.needed, request.wanted))
  const holder = holders.get(worker) ?? { given: 0, outstanding: 0, standing: 0, standingUntil: 0 }
  holders.set(worker, holder)
  holder.given += points
  holder.outstanding += points
  allowance.taken += points
  renewStanding(allowance, holder, at)
  const elsewhere = others.reduce((sum, [, { outstanding }]) => sum + outstanding, 0)
  const { standing, standingUntil } = holder
  return { is: 'granted', points, windowEnd, left: freeOf(allowance) + elsewhere, standing, standingUntil }
}

/** Together at most half of the limit: a quarter for the first worker, an eighth for the second and so on. */
function renewStanding({ limit, windowMs, holders }: Allowance, holder: Holder, at: number): void {
  if (windowMs > LONGEST_STANDING_MS) return
  let ofOthers = 0
  for (const { standing } of holders.values()) ofOthers += standing
  ofOthers -= holder.standing
  // It changes only when its worker cannot be using it, or when the limit itself was lowered.
  if (holder.standingUntil <= at || holder.standing > limit / 4)
    holder.standing = Math.max(0, Math.floor((limit / 2 - ofOthers) / 2))
  holder.standingUntil = at + STANDING_WINDOWS * windowMs
}

export function refuse(allowance: Allowance): LeaseAnswer {
  allowance.taken = Math.max(allowance.taken, allowance.limit) // as in one process: a refused charge takes what is left
  return { is: 'refused', windowEnd: allowance.windowEnd }
}
