import { sql } from 'kysely'
import { webhookQueue } from '../config/counts.ts'
import type { Database } from '../db/database.ts'
import { deleteInSteps, type OldRows } from '../db/delete-in-steps.ts'
import type { Db } from '../db/tables.ts'
import type { WebhookDeliveryState } from '../db/webhook-tables.ts'
import { DAY } from '../lib/clock.ts'
import { AFTER_ALL_IDS, firstIdAt } from '../lib/id.ts'
import { limitBacklog, limitEvents, MAX_PENDING } from './backlog.ts'

/** How long deliveries are stored, and how many of a webhook at most. docs/webhooks.md says the same. */
const KEPT_MS = 30 * DAY
const KEPT_OF_WEBHOOK = 10_000
/** Bytes of deliveries that are stored of a webhook, beside what waits. */
const KEPT_BYTES = 16 * 1024 ** 2
const COUNTED_UP_TO = 10_000

interface TidyOptions {
  origin: string
  isClosing?: () => boolean
  keptOfWebhook?: number
  keptBytes?: number
  maxPending?: number
}

/** Deletes old and surplus deliveries, counts those that wait, and pauses a webhook that has too many. */
export async function tidyDeliveries(database: Database, now: number, options: TidyOptions): Promise<void> {
  const { origin, isClosing = () => false, maxPending = MAX_PENDING } = options
  const { keptOfWebhook = KEPT_OF_WEBHOOK, keptBytes = KEPT_BYTES } = options
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
    for (const rows of await toDelete(database, webhookId, { now, keptOfWebhook, keptBytes }))
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

/** Which deliveries of a webhook are deleted: what still waits to be sent is not. */
async function toDelete(
  database: Database,
  webhookId: string,
  { now, keptOfWebhook, keptBytes }: Record<'now' | 'keptOfWebhook' | 'keptBytes', number>,
): Promise<OldRows[]> {
  const { read: db } = database
  const webhook = await db
    .selectFrom('webhook')
    .select(['id', 'organizationId'])
    .where('id', '=', webhookId)
    .executeTakeFirst()
  if (!webhook) return [deliveriesBefore(webhookId, AFTER_ALL_IDS)]
  const deliveries = db.selectFrom('webhookDelivery').select('id').where('webhookId', '=', webhookId)
  const [oldest, tooMany, tooLarge] = await Promise.all([
    deliveries.orderBy('id').limit(1).executeTakeFirst(),
    deliveries.orderBy('id', 'desc').offset(keptOfWebhook).limit(1).executeTakeFirst(),
    newestBeyond(database.heavyRead(webhook), webhookId, keptBytes),
  ])
  const isOld = oldest !== undefined && oldest.id < firstIdAt(now - KEPT_MS)
  return [
    ...(isOld ? [deliveriesBefore(webhookId, firstIdAt(now - KEPT_MS))] : []),
    ...[tooMany, tooLarge].flatMap((last) =>
      last ? [deliveriesBefore(webhookId, `${last.id}${AFTER_ALL_IDS}`, ['DELIVERED', 'FAILED'])] : [],
    ),
  ]
}

/** The newest of the deliveries with which those that do not wait have more bytes. */
const newestBeyond = (db: Db, webhookId: string, bytes: number): Promise<{ id: string } | undefined> =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('webhookDelivery')
        .select(['id', sql<number>`sum(octet_length("payload")) over (order by "id" desc)`.as('sum')])
        .where('webhookId', '=', webhookId)
        .where('state', 'in', ['DELIVERED', 'FAILED'])
        .as('summed'),
    )
    .select('id')
    .where('sum', '>', bytes)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

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
