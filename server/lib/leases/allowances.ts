import type { Clock } from '../clock.ts'
import {
  type Allowance,
  freeOf,
  grant,
  isOver,
  moveTo,
  newAllowance,
  noteHeld,
  othersHolding,
  refuse,
} from './allowance.ts'
import type { Counted, Held, LeaseAnswer, LeaseRequest } from './messages.ts'
import { SweptMap } from './swept-map.ts'

/** How often one request has others return what they hold. */
const MOST_RECALLS = 3

/** Asks a worker to return what it holds. Rejects when it does not answer in time. */
export type Recall = (worker: number, counted: Counted) => Promise<Held>

/** What workers may spend, so that all of them together never spend more than a limit. */
export interface Allowances {
  /** Answers at once. */
  lease(worker: number, request: LeaseRequest): LeaseAnswer
  /** Waits until others have returned what they hold, if that is needed. */
  leaseAfterRecall(worker: number, request: LeaseRequest): Promise<LeaseAnswer>
  /** The worker spends nothing any more. */
  giveBack(worker: number, counted: Counted, held: Held): void
  /** What the worker held counts as spent. */
  forget(worker: number): void
  readonly size: number
}

export function createAllowances(now: Clock, recall: Recall): Allowances {
  const allowances = new SweptMap<Allowance>((allowance) => isOver(allowance, now()))

  /** As of now. */
  function find({ name, id, limit, windowMs }: Counted): Allowance {
    const key = `${name} ${id}`
    const found = allowances.get(key)
    if (!found) return allowances.add(key, newAllowance(limit, windowMs, now()))
    moveTo(found, now())
    found.limit = limit
    return found
  }

  function lease(worker: number, request: LeaseRequest): LeaseAnswer {
    const allowance = find(request)
    noteHeld(allowance, worker, request.held, request.returnsHeld)
    if (freeOf(allowance) >= request.needed) return grant(allowance, worker, request, now())
    return othersHolding(allowance, worker).length > 0 ? { is: 'recalling' } : refuse(allowance)
  }

  async function recallFromOthers(worker: number, counted: Counted): Promise<void> {
    const others = othersHolding(find(counted), worker)
    await Promise.all(
      others.map(async ([id, holder]) => {
        const held = await recall(id, counted).catch(() => undefined)
        const allowance = find(counted)
        if (held?.windowEnd === allowance.windowEnd) noteHeld(allowance, id, held, true)
        else holder.outstanding = 0 // it may have spent it
      }),
    )
  }

  return {
    lease,
    async leaseAfterRecall(worker, request) {
      let answer = lease(worker, request)
      for (let recalls = 0; answer.is === 'recalling' && recalls < MOST_RECALLS; recalls++) {
        await recallFromOthers(worker, request)
        answer = lease(worker, { ...request, held: NOTHING, returnsHeld: false })
      }
      return answer.is === 'recalling' ? refuse(find(request)) : answer
    },
    giveBack(worker, counted, held) {
      const allowance = find(counted)
      noteHeld(allowance, worker, held, true)
      allowance.holders.delete(worker)
    },
    forget(worker) {
      for (const { holders } of allowances.values()) holders.delete(worker)
    },
    get size() {
      return allowances.size
    },
  }
}

/** Of no window: changes nothing. */
const NOTHING: Held = { windowEnd: 0, received: 0, unspent: 0 }
