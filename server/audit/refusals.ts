import { type Actor, actorOf } from '../caller/ctx.ts'
import type { Deps } from '../caller/deps.ts'
import { isOverBudget } from '../db/byte-budgets.ts'
import type { Transaction } from '../db/transaction.ts'
import type { RefusedOperation } from '../http/refusal-log.ts'
import { sourceOf } from '../lib/client-address.ts'
import { SECOND } from '../lib/clock.ts'
import { createHourly } from '../lib/hourly.ts'
import { cleaned } from '../lib/plain-text.ts'
import { insertEvent } from './audit-event.ts'

/** So that refused calls cannot fill the audit log, however many addresses they come from. */
export const REFUSALS_OF_A_CALLER_AN_HOUR = 20
const FLUSH_EVERY_MS = 5 * SECOND
const MAX_CALLERS = 10_000
const MAX_QUEUED = 1_000

interface RefusedCaller {
  actor: Actor
  organizationId: string
}

interface Refusal {
  code: string
  reason: string
  source: string
  /** The address itself, of which the source may be a network. */
  ip?: string
}

interface Queued extends RefusedCaller {
  at: number
  details: string
  ip: string | undefined
}

export interface Refusals {
  /** Queues a refusal for the audit log; at most one for each reason and source is written in an hour. */
  add(caller: RefusedCaller, refusal: Refusal): void
  close(): Promise<void>
}

/** Writes refusals to the audit log of the organization, in batches. It never delays a request and never fails one. */
export function createRefusals({ database, now, log, usageFlushMs = FLUSH_EVERY_MS }: Deps): Refusals {
  const written = createHourly({ most: REFUSALS_OF_A_CALLER_AN_HOUR, mostIds: MAX_CALLERS })
  let queue: Queued[] = []
  let flushing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const batch = queue
    queue = []
    for (const some of Map.groupBy(batch, ({ organizationId }) => organizationId).values()) {
      try {
        await database.transaction((db) => writeAll(db, some))
      } catch (error) {
        if (isOverBudget(error)) continue // so that refused calls cannot fill the audit log
        queue = [...some, ...queue].slice(0, MAX_QUEUED)
        log.warn({ err: error }, 'refusals could not be written to the audit log; they are tried again')
      }
    }
  }

  const flush = () => {
    flushing = flushing.then(write)
    return flushing
  }
  const timer = setInterval(flush, usageFlushMs)
  timer.unref()
  return {
    add({ actor, organizationId }, { code, reason, source, ip }) {
      const at = now()
      const [caller, kind] = [`${organizationId} ${actor.id}`, `${code} ${reason} ${source}`]
      if (queue.length >= MAX_QUEUED || !written.isNew(caller, kind, at)) return
      const details = `${code} from ${source}: ${reason}${actor.kind === 'API_KEY' ? `; key ${actor.id}` : ''}`
      queue.push({ at, actor, organizationId, details, ip })
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

async function writeAll(db: Transaction, refusals: readonly Queued[]): Promise<void> {
  for (const { at, actor, ...event } of refusals) {
    const action = actor.kind === 'API_KEY' ? 'api_key.refused' : 'user.refused'
    const subjectType = actor.kind === 'API_KEY' ? 'API_KEY' : 'USER'
    const subject = { subject: actor.name, subjectType, ...(actor.id !== null && { subjectId: actor.id }) } as const
    await insertEvent(db, at, { action, ...subject, actor, ...event, budget: 'NORMAL' })
  }
}

/** Adds a caller who lacks a right. The HTTP status is 200, so only the operation tells what was refused. */
export function addForbidden(
  refusals: Refusals,
  { caller, codes, address, operation = 'an operation' }: RefusedOperation,
): void {
  if (caller.kind === 'SYSTEM' || !codes.includes('FORBIDDEN')) return
  const { organizationId } = caller
  refusals.add(
    { actor: actorOf(caller), organizationId },
    { code: 'FORBIDDEN', reason: cleaned(operation), source: sourceOf(address), ip: address },
  )
}
