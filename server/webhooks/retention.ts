import type { Database } from '../db/database.ts'
import { deleteInSteps, type OldRows } from '../db/delete-in-steps.ts'
import type { Db } from '../db/tables.ts'
import type { WebhookDeliveryState } from '../db/webhook-tables.ts'
import { DAY } from '../lib/clock.ts'
import { webhookQueue } from '../lib/counts.ts'
import { firstIdAt } from '../lib/id.ts'
import { limitBacklog, limitEvents, MAX_PENDING } from './backlog.ts'

/** How long deliveries are stored, and how many of a webhook at most. docs/webhooks.md says the same. */
const KEPT_MS = 30 * DAY
const KEPT_OF_WEBHOOK = 10_000
const COUNTED_UP_TO = 10_000

interface TidyOptions {
  /** The public URL of the portal. */
  origin: string
  isClosing?: () => boolean
  keptOfWebhook?: number
  maxPending?: number
}

/**
 * Deletes deliveries that are old, too many, or of a webhook that is deleted; counts those that wait, with events that wait
 * to become some, and pauses a webhook that has too many of either.
 */
export async function tidyDeliveries(
  database: Database,
  now: number,
  { origin, isClosing = () => false, keptOfWebhook = KEPT_OF_WEBHOOK, maxPending = MAX_PENDING }: TidyOptions,
): Promise<void> {
  const { read } = database
  const pending = read.selectFrom('webhookDelivery').select('id').where('state', '=', 'PENDING').limit(COUNTED_UP_TO)
  const events = read.selectFrom('webhookEvent').select('id').limit(COUNTED_UP_TO)
  webhookQueue.pending = Math.min((await pending.execute()).length + (await events.execute()).length, COUNTED_UP_TO)
  await limitEvents(database, { maxPending, now, origin, isClosing })
  let webhookId = ''
  while (!isClosing()) {
    const next = await nextWebhookWithDeliveries(database.read, webhookId)
    if (next === null) return
    webhookId = next
    await limitBacklog(database, { webhookId, maxPending, now, origin, isClosing })
    for (const rows of await toDelete(database.read, { webhookId, now, keptOfWebhook }))
      await deleteInSteps(database, rows, { isClosing })
  }
}

async function nextWebhookWithDeliveries(db: Db, after: string): Promise<string | null> {
  const { next } = await db
    .selectFrom('webhookDelivery')
    .select((eb) => eb.fn.min('webhookId').as('next'))
    .where('webhookId', '>', after)
    .executeTakeFirstOrThrow()
  return next
}

const ALL = '~' // behind every id

/** Which deliveries of a webhook are deleted: what still waits to be sent is not. */
async function toDelete(
  db: Db,
  { webhookId, now, keptOfWebhook }: { webhookId: string; now: number; keptOfWebhook: number },
): Promise<OldRows[]> {
  const webhook = await db.selectFrom('webhook').select('id').where('id', '=', webhookId).executeTakeFirst()
  if (!webhook) return [deliveriesBefore(webhookId, ALL)]
  const deliveries = db.selectFrom('webhookDelivery').select('id').where('webhookId', '=', webhookId)
  const [oldest, tooMany] = await Promise.all([
    deliveries.orderBy('id').limit(1).executeTakeFirst(),
    deliveries.orderBy('id', 'desc').offset(keptOfWebhook).limit(1).executeTakeFirst(),
  ])
  const isOld = oldest !== undefined && oldest.id < firstIdAt(now - KEPT_MS)
  return [
    ...(isOld ? [deliveriesBefore(webhookId, firstIdAt(now - KEPT_MS))] : []),
    ...(tooMany ? [deliveriesBefore(webhookId, `${tooMany.id}${ALL}`, ['DELIVERED', 'FAILED'])] : []),
  ]
}

const STATES: readonly WebhookDeliveryState[] = ['PENDING', 'DELIVERED', 'FAILED']

const deliveriesBefore = (webhookId: string, before: string, states = STATES): OldRows => ({
  find: (db, after, limit) =>
    db
      .selectFrom('webhookDelivery')
      .select('id')
      .where('webhookId', '=', webhookId)
      .where('id', '>', after)
      .where('id', '<', before)
      .where('state', 'in', states)
      .orderBy('id')
      .limit(limit)
      .execute(),
  delete: (db, ids) => db.deleteFrom('webhookDelivery').where('id', 'in', ids).where('state', 'in', states),
})
