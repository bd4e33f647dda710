import { apiKeyRow } from '../../../server/db/api-key-row.ts'
import type { ApiKeyTable } from '../../../server/db/tables.ts'
import { DAY, HOUR } from '../../../server/lib/clock.ts'
import { newId } from '../../../server/lib/id.ts'
import { partsOf } from '../../../server/lib/parts.ts'
import type { World } from './world.ts'

/** A row for more keys than may be generated, or for one with a past; nobody knows its secret. */
export const keyRow = (given: Pick<ApiKeyTable, 'organizationId' | 'label' | 'createdAt' | 'expiresAt'>): ApiKeyTable =>
  apiKeyRow({
    ...given,
    id: newId(given.createdAt),
    prefix: 'emp_000000',
    secretHash: Buffer.from(`${given.organizationId} ${given.label}`),
    createdByKind: 'SYSTEM',
    createdById: null,
    createdByName: 'test',
  })

/** So many keys that have expired, made within the last hour: `k0`, `k1` … from the oldest on. */
export async function insertExpiredKeys({ database, clock }: World, organizationId: string, count: number) {
  const given = { organizationId, expiresAt: clock.now() - HOUR / 4 }
  const rows = Array.from({ length: count }, (_, i) =>
    keyRow({ ...given, createdAt: clock.now() - HOUR / 2 + i, label: `k${i}` }),
  )
  await database.transaction(async (db) => {
    for (const part of partsOf(rows, 500)) await db.insertInto('apiKey').values(part).execute()
  })
}

/** As if the key had been generated so many days earlier. */
export const makeOlder = ({ database }: Pick<World, 'database'>, { id }: { id: string }, days: number) =>
  database.transaction((db) =>
    db
      .updateTable('apiKey')
      .set((eb) => ({ createdAt: eb('createdAt', '-', days * DAY) }))
      .where('id', '=', id)
      .execute(),
  )
