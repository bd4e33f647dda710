/*
 * What workers and their parent say to each other about limits that they count together. Both read the same clock, the
 * one of the machine.
 */

/** Which limit of whom, and what it allows in each window of time. */
export interface Counted {
  name: string
  id: string
  limit: number
  windowMs: number
}

/** What a worker has left of what it received for a window. */
export interface Held {
  windowEnd: number
  received: number
  unspent: number
}

export interface LeaseRequest extends Counted {
  /** The least that helps; 0: it asks before it needs any. */
  needed: number
  /** What those who wait for it need together. */
  wanted: number
  held: Held
  /** The worker will not spend what it holds: the limit has changed. */
  returnsHeld: boolean
}

export type LeaseAnswer =
  | {
      is: 'granted'
      points: number
      windowEnd: number
      /** What is left for all, as far as the parent knows, without what this worker holds. */
      left: number
      /** What the worker has in each following window without asking, in those that begin before that time. */
      standing: number
      standingUntil: number
    }
  | { is: 'refused'; windowEnd: number }
  /** Others hold some of it: ask again, alone, and wait until they have returned it. */
  | { is: 'recalling' }

/** What a worker that stops has not spent. */
export interface ReturnedLease {
  counted: Counted
  held: Held
}

/** The kinds of messages. */
export const LEASE = 'lease'
export const LEASE_AFTER_RECALL = 'lease-after-recall'
export const RECALL = 'recall-lease'
export const RETURN = 'return-leases'
export const BACKOFF = 'backoff'

/** The way to the parent of this process. */
export interface ToParent {
  ask<Answer>(kind: string, payload: unknown): Promise<Answer>
  onAsk(kind: string, answer: (payload: unknown) => unknown): void
}

/** The way to the workers of this process. */
export interface ToWorkers {
  ask<Answer>(worker: number, kind: string, payload: unknown): Promise<Answer>
  onAsk(kind: string, answer: (worker: number, payload: unknown) => unknown): void
  onGone(handle: (worker: number) => void): void
}
