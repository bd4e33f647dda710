import { type Clock, SECOND } from '../clock.ts'
import { answeredWithin } from '../within.ts'
import { createAllowances } from './allowances.ts'
import {
  type Held,
  LEASE,
  LEASE_AFTER_RECALL,
  type LeaseRequest,
  RECALL,
  RETURN,
  type ReturnedLease,
  type ToWorkers,
} from './messages.ts'

/** Shorter than a worker waits for a lease. */
const RECALL_MS = 0.5 * SECOND

/** In the parent: leases to its workers what limits allow. */
export function answerLeases(workers: ToWorkers, now: Clock, { recallMs = RECALL_MS } = {}): void {
  const allowances = createAllowances(now, (worker, { name, id }) =>
    answeredWithin(recallMs, workers.ask<Held>(worker, RECALL, { name, id })),
  )
  // What is sent has these types: both ends are of one release.
  workers.onAsk(LEASE, (worker, requests) =>
    (requests as LeaseRequest[]).map((request) => allowances.lease(worker, request)),
  )
  workers.onAsk(LEASE_AFTER_RECALL, (worker, requests) =>
    Promise.all((requests as LeaseRequest[]).map((request) => allowances.leaseAfterRecall(worker, request))),
  )
  workers.onAsk(RETURN, (worker, returned) => {
    for (const { counted, held } of returned as ReturnedLease[]) allowances.giveBack(worker, counted, held)
  })
  workers.onGone(allowances.forget)
}
