import { sql } from 'kysely'
import { countedBytes, DELIVERY_ROW_BYTES } from '../audit/webhook-events/count-deliveries.ts'
import { mostBytes } from '../db/byte-budgets.ts'
import type { Database } from '../db/database.ts'
import { ALL_PERIODS } from '../db/stored-bytes.ts'
import type { Db } from '../db/tables.ts'

/** Corrects how many bytes wait, by the rows: changes only add. What is added meanwhile may count twice until next time. */
export async function recountWaiting(database: Database, isClosing: () => boolean): Promise<void> {
  const organizations = await database.read.selectFrom('webhookProgress').select('organizationId').execute()
  for (const { organizationId } of organizations) {
    if (isClosing()) return
    await recountWaitingOf(database, organizationId)
  }
}

export async function recountWaitingOf(database: Database, organizationId: string): Promise<void> {
  const counted = await countedBytes(database.read, organizationId)
  const waiting = await waitingBytes(database.heavyRead({ organizationId }), organizationId)
  if (waiting !== counted) await database.transaction((db) => correct(db, organizationId, waiting - counted))
}

/** Deliveries that wait, and those that there will be of events. */
export async function waitingBytes(db: Db, organizationId: string): Promise<number> {
  const pending = await db
    .selectFrom('webhook')
    .innerJoin('webhookDelivery', 'webhookDelivery.webhookId', 'webhook.id')
    .select(sql<number | null>`cast(sum(${DELIVERY_ROW_BYTES} + octet_length("payload")) as bigint)`.as('bytes'))
    .where('organizationId', '=', organizationId)
    .where('state', '=', 'PENDING')
    .executeTakeFirst()
  const webhooks = sql`(1 + length("webhookIds") - length(replace("webhookIds", ',', '')))`
  const ofEvent = sql`(${DELIVERY_ROW_BYTES} + octet_length("payload")) * ${webhooks}`
  const events = await db
    .selectFrom('webhookEvent')
    .select(sql<number | null>`cast(sum(${ofEvent}) as bigint)`.as('bytes'))
    .where('organizationId', '=', organizationId)
    .executeTakeFirst()
  return (pending?.bytes ?? 0) + (events?.bytes ?? 0)
}

const correct = (db: Db, organizationId: string, by: number) =>
  db
    .insertInto('storedBytes')
    .values({
      organizationId,
      kind: 'delivery_bytes',
      period: ALL_PERIODS,
      bytes: Math.max(by, 0),
      atMost: mostBytes('delivery_bytes', 'UNLIMITED'),
    })
    .onConflict((conflict) =>
      conflict.columns(['organizationId', 'kind', 'period']).doUpdateSet((eb) => ({
        bytes: sql<number>`case when "storedBytes"."bytes" + ${by} > 0 then "storedBytes"."bytes" + ${by} else 0 end`,
        atMost: eb.ref('excluded.atMost'),
      })),
    )
    .execute()
