import type { ApiKeyUsageTable } from '../../db/api-key-tables.ts'
import { BACKGROUND_WORK } from '../../db/connection-waits.ts'
import type { Database } from '../../db/database.ts'
import { jsonRows } from '../../db/json-rows.ts'
import { forKeyShare, forNoKeyUpdate } from '../../db/locks.ts'
import type { Db } from '../../db/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { CountedUse } from './counter.ts'

/** Writes the counts and the last uses: two statements for all keys; deleted keys are skipped. */
export function writeUsage(
  database: Database,
  uses: readonly CountedUse[],
  { moreFollows = false }: { moreFollows?: boolean } = {},
): Promise<void> {
  const write = async (db: Transaction) => {
    // A revoke of such a key waits for this transaction, so both statements are sent with the commit.
    const used = uses.filter(({ use }) => use.calls > 0).map(lastUse)
    if (used.length > 0) await db.defer(lastUseUpdate(db, used))
    await db.defer(usageUpsert(db, uses.map(usageRow)))
  }
  return database.transaction(write, { organizationId: BACKGROUND_WORK, moreFollows })
}

interface LastUsed {
  keyId: string
  at: number
  from: string
  agent: string
  operation: string | null
}

const lastUse = ({ keyId, use }: CountedUse): LastUsed => ({
  keyId,
  at: use.lastAt,
  from: use.lastFrom,
  agent: use.lastAgent,
  operation: use.lastOperation,
})

/** Never moves a time backwards. Rows are locked in the order of their ids. */
function lastUseUpdate(db: Db, used: LastUsed[]) {
  const columns = { keyId: 'text', at: 'integer', from: 'text', agent: 'text', operation: 'text' } as const
  const due = db
    .selectFrom('apiKey as known')
    .innerJoin(jsonRows<LastUsed, 'seen'>(db, columns, used, 'seen'), 'seen.keyId', 'known.id')
    .select(['seen.keyId', 'seen.at', 'seen.from', 'seen.agent', 'seen.operation'])
    .where((eb) => eb.or([eb('known.lastUsedAt', 'is', null), eb('known.lastUsedAt', '<=', eb.ref('seen.at'))]))
    .orderBy('known.id')
  return db
    .updateTable('apiKey')
    .from(forNoKeyUpdate(db, due).as('due'))
    .set((eb) => ({
      lastUsedAt: eb.ref('due.at'),
      lastUsedIp: eb.ref('due.from'),
      lastUsedUserAgent: eb.ref('due.agent'),
      lastUsedOperation: eb.fn.coalesce('due.operation', 'apiKey.lastUsedOperation'),
    }))
    .whereRef('apiKey.id', '=', 'due.keyId')
}

const usageRow = ({ keyId, hour, writer, use }: CountedUse): ApiKeyUsageTable => ({
  keyId,
  hour,
  writer,
  calls: use.calls,
  errors: use.errors,
  seen: JSON.stringify({
    addresses: use.addresses,
    agents: use.agents,
    operations: use.operations,
    fields: use.fields,
    ...(use.paused && { paused: use.paused }),
  }),
})

/** Only for keys that exist, which are locked until the transaction ends. */
function usageUpsert(db: Db, rows: ApiKeyUsageTable[]) {
  const columns = {
    keyId: 'text',
    hour: 'integer',
    writer: 'text',
    calls: 'integer',
    errors: 'integer',
    seen: 'text',
  } as const
  const names = ['keyId', 'hour', 'writer', 'calls', 'errors', 'seen'] as const
  const counted = db
    .selectFrom('apiKey')
    .innerJoin(jsonRows<ApiKeyUsageTable, 'counted'>(db, columns, rows, 'counted'), 'counted.keyId', 'apiKey.id')
    .select(names.map((name) => `counted.${name}` as const))
    .where('apiKey.id', 'is not', null) // without a condition here, SQLite takes `on` for part of the join
  return db
    .insertInto('apiKeyUsage')
    .columns(names)
    .expression(forKeyShare(db, counted))
    .onConflict((conflict) =>
      conflict.columns(['keyId', 'hour', 'writer']).doUpdateSet((eb) => ({
        calls: eb.ref('excluded.calls'),
        errors: eb.ref('excluded.errors'),
        seen: eb.ref('excluded.seen'),
      })),
    )
}
