import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { RETRY_MS, SHARED_BY_DELIVERIES } from '../audit/webhook-events/queue-events.ts'
import type { Deps } from '../caller/deps.ts'
import type { Database } from '../db/database.ts'
import { forUpdateSkipLocked } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'

/** Events of one transaction: with the most webhooks 200 deliveries, some milliseconds. */
const EVENTS_AT_ONCE = 10
const ORGANIZATIONS_AT_ONCE = 16

/** Makes a delivery of each event that waits for every webhook that wants it. */
export interface FanOut {
  /** Returns when no event waits. Whoever asks meanwhile waits for the same. */
  run(): Promise<void>
  close(): Promise<void>
}

/** Deliveries are inserted as their event is deleted, so processes may be killed. Organizations take turns. */
export function createFanOut({ database, log }: Pick<Deps, 'database' | 'log'>, onDeliveries: () => void): FanOut {
  let running: Promise<void> | undefined
  let isClosed = false

  async function rounds(): Promise<void> {
    while (!isClosed && (await oneRound())) onDeliveries()
  }

  /** Some events of each organization; returns whether there were any that no other process is at. */
  async function oneRound(): Promise<boolean> {
    let fannedOut = 0
    let after: string | undefined = ''
    while (after !== undefined && !isClosed) {
      const began = performance.now()
      const organizations: string[] = await organizationsWithEvents(database.read, after)
      const counts = await Promise.all(organizations.map((id) => fanOutSome(database, id)))
      for (const count of counts) fannedOut += count
      after = organizations[ORGANIZATIONS_AT_ONCE - 1]
      if (organizations.length > 0) await pause(performance.now() - began)
    }
    return fannedOut > 0
  }

  function run(): Promise<void> {
    running ??= rounds()
      .catch((err) => log.warn({ err }, 'events for webhooks could not be read; they will be tried again'))
      .finally(() => {
        running = undefined
      })
    return running
  }

  return {
    run,
    async close() {
      isClosed = true
      await running
    },
  }
}

/** Steps over the index from one organization to the next, however many events of one wait. */
export async function organizationsWithEvents(db: Db, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive "waiting" ("id") as (
      select min("organizationId") from "webhookEvent" where "organizationId" > ${after}
      union all
      select (select min("organizationId") from "webhookEvent" where "organizationId" > "waiting"."id")
      from "waiting" where "waiting"."id" is not null
    )
    select "id" from "waiting" where "id" is not null limit ${ORGANIZATIONS_AT_ONCE}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The oldest events of an organization that no other process is at; returns how many. */
const fanOutSome = (database: Database, organizationId: string): Promise<number> =>
  database.transaction(
    async (db) => {
      const oldest = db.selectFrom('webhookEvent').select('id').where('organizationId', '=', organizationId)
      const events = await forUpdateSkipLocked(db, oldest.orderBy('id').limit(EVENTS_AT_ONCE)).execute()
      if (events.length === 0) return 0
      const ids = events.map(({ id }) => id)
      await insertDeliveries(db, ids)
      await db.deleteFrom('webhookEvent').where('id', 'in', ids).execute()
      return ids.length
    },
    { organizationId, moreFollows: true }, // if the machine crashes, it is done again, with the same ids
  )

const insertDeliveries = (db: Db, eventIds: readonly string[]) =>
  db
    .insertInto('webhookDelivery')
    .columns(['id', 'webhookId', 'event', 'payload', 'state', 'attempts', 'createdAt', 'retryUntil', 'nextAttemptAt'])
    .expression(
      db
        .selectFrom('webhookEvent')
        .innerJoin('webhook', 'webhook.organizationId', 'webhookEvent.organizationId')
        .select([
          sql<string>`substr("webhookEvent"."id", 1, ${SHARED_BY_DELIVERIES}) || substr("webhook"."id", ${SHARED_BY_DELIVERIES} + 1)`.as(
            'id',
          ),
          'webhook.id as webhookId',
          'webhookEvent.type as event',
          'webhookEvent.payload',
          sql.lit('PENDING' as const).as('state'),
          sql.lit(0).as('attempts'),
          'webhookEvent.createdAt',
          sql<number>`"webhookEvent"."createdAt" + ${RETRY_MS}`.as('retryUntil'),
          'webhookEvent.createdAt as nextAttemptAt',
        ])
        .where('webhookEvent.id', 'in', eventIds)
        .where('webhookIds', 'like', sql<string>`'%' || "webhook"."id" || '%'`),
    )
    .execute()
