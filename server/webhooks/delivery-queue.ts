import { sql } from 'kysely'
import { BACKGROUND_WORK } from '../db/connection-waits.ts'
import type { Database } from '../db/database.ts'
import { forUpdateSkipLocked } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import type { WebhookDeliveryTable, WebhookTable } from '../db/webhook-tables.ts'
import { MINUTE } from '../lib/clock.ts'

/** How long a worker has a claimed delivery to itself; if the worker is killed, another one takes it after that. */
export const LEASE_MS = MINUTE
const TESTS_AT_ONCE = 64

type Owned = Pick<WebhookTable, 'id' | 'organizationId'>
export type DueWebhook = Owned & Pick<WebhookTable, 'failingSince'> & { dueSince: number }

/** The webhooks with deliveries that are due. Steps over the index from one to the next, however many wait. */
export async function dueWebhooks(db: Db, now: number): Promise<DueWebhook[]> {
  const { rows } = await sql<DueWebhook>`
    with recursive "pending" ("webhookId") as (
      select min("webhookId") from "webhookDelivery" where "state" = 'PENDING'
      union all
      select (select min("webhookId") from "webhookDelivery"
        where "state" = 'PENDING' and "webhookId" > "pending"."webhookId")
      from "pending" where "pending"."webhookId" is not null
    ), "due" as (
      select "webhook"."id", "organizationId", "failingSince", (select min("nextAttemptAt") from "webhookDelivery"
        where "state" = 'PENDING' and "webhookDelivery"."webhookId" = "webhook"."id") as "dueSince"
      from "pending" join "webhook" on "webhook"."id" = "pending"."webhookId" where "enabled" = 1
    )
    select * from "due" where "dueSince" <= ${now}`.execute(db)
  return rows
}

/** Claims deliveries of a webhook that are due, the longest due first, so that no other worker does. */
export const claimDeliveries = (database: Database, { id, organizationId }: Owned, now: number, most: number) =>
  // Not the turn of the organization, whose writes may be many: the worker claims for one webhook after the other.
  claim(database, now, `deliveries of ${organizationId}`, (due) =>
    due.where('webhookId', '=', id).orderBy('nextAttemptAt').orderBy('id').limit(most),
  )

/** Claims tests, which are sent whatever else waits, and also to a webhook that is paused; so many are in progress. */
export async function claimTests(database: Database, now: number, inProgress: number): Promise<WebhookDeliveryTable[]> {
  const room = TESTS_AT_ONCE - inProgress
  if (room <= 0) return []
  const tests = (due: Due) => due.where('event', '=', sql.lit('test')).orderBy('nextAttemptAt').limit(room)
  const isAny = (await tests(dueAt(database.read, now)).executeTakeFirst()) !== undefined
  return isAny ? claim(database, now, BACKGROUND_WORK, tests) : []
}

const dueAt = (db: Db, now: number) =>
  db
    .selectFrom('webhookDelivery')
    .select('id')
    .where('state', '=', sql.lit('PENDING'))
    .where('nextAttemptAt', '<=', now)

type Due = ReturnType<typeof dueAt>

function claim(database: Database, now: number, organizationId: string, which: (due: Due) => Due) {
  const work = async (db: Db): Promise<WebhookDeliveryTable[]> => {
    const due = await forUpdateSkipLocked(db, which(dueAt(db, now))).execute()
    if (due.length === 0) return []
    const ids = due.map(({ id }) => id)
    return db
      .updateTable('webhookDelivery')
      .set((eb) => ({ nextAttemptAt: now + LEASE_MS, lastAttemptAt: now, attempts: eb('attempts', '+', 1) }))
      .where('id', 'in', ids)
      .returningAll()
      .execute()
  }
  return database.transaction(work, { organizationId })
}
