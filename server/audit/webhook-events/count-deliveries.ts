import { sql } from 'kysely'
import { type Budget, mostBytes, overBudget } from '../../db/byte-budgets.ts'
import { rowsOfJson } from '../../db/json-rows.ts'
import { preparedWrite } from '../../db/prepared.ts'
import { ALL_PERIODS, addedBytes } from '../../db/stored-bytes.ts'
import type { Db } from '../../db/tables.ts'
import type { Transaction } from '../../db/transaction.ts'

/** The row of a delivery without its body, with half of its indexes. */
export const DELIVERY_ROW_BYTES = 400
const VERSION_BYTES = 13

/** Counts the deliveries that there will be of these events: one for each webhook that wants it. */
export async function countDeliveries(
  db: Transaction,
  organizationId: string,
  events: readonly { type: string; head: string; tail: string }[],
  budget: Budget,
): Promise<void> {
  const types = [...Map.groupBy(events, ({ type }) => type)].map(([type, its]) => ({
    type,
    bytes: its.reduce(
      (sum, { head, tail }) => sum + DELIVERY_ROW_BYTES + VERSION_BYTES + Buffer.byteLength(head + tail),
      0,
    ),
  }))
  const atMost = mostBytes('delivery_bytes', budget)
  try {
    await db.defer(addition(db, { organizationId, types: JSON.stringify(types), atMost }))
  } catch (error) {
    throw overBudget(error) ?? error
  }
}

/** Whether twice the bytes wait that may wait: devices that go offline and come back are never refused, so they can get there. */
export const isBacklogFull = async (db: Db, organizationId: string): Promise<boolean> =>
  (await countedBytes(db, organizationId)) > mostBytes('delivery_bytes', 'RESERVE')

export async function countedBytes(db: Db, organizationId: string): Promise<number> {
  const row = db.selectFrom('storedBytes').select('bytes').where('organizationId', '=', organizationId)
  return (await row.where('kind', '=', 'delivery_bytes').executeTakeFirst())?.bytes ?? 0
}

interface Values extends Record<string, unknown> {
  organizationId: string
  types: string
  atMost: number
}

const addition = preparedWrite((db, { organizationId, types, atMost }: Values) =>
  addedBytes(
    db
      .insertInto('storedBytes')
      .columns(['organizationId', 'kind', 'period', 'bytes', 'atMost'])
      .expression(
        db
          .selectFrom('webhook')
          .innerJoin(rowsOfJson<Wanted, 'asked'>(db, WANTED, types, 'asked'), (join) =>
            join.on('webhook.events', 'like', sql<string>`'%"' || "asked"."type" || '"%'`),
          )
          .select([
            'organizationId',
            sql.lit('delivery_bytes' as const).as('kind'),
            sql.lit(ALL_PERIODS).as('period'),
            sql<number>`cast(sum("asked"."bytes") as bigint)`.as('bytes'),
            sql<number>`cast(${atMost} as bigint)`.as('atMost'),
          ])
          .where('organizationId', '=', organizationId)
          .where('enabled', '=', 1)
          .groupBy('organizationId'),
      ),
  ),
)

interface Wanted {
  type: string
  bytes: number
}

const WANTED = { type: 'text', bytes: 'integer' } as const
