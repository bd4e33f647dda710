import type { SelectQueryBuilder } from 'kysely'
import type { Db, Tables } from './tables.ts'

export async function countRows<Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, object>,
): Promise<number> {
  const row = await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return row.count
}

/** Counts rows, but reads no more than `most` of them: the result `most` means as many or more. */
export function countRowsUpTo<Table extends keyof Tables>(
  db: Db,
  rows: SelectQueryBuilder<Tables, Table, object>,
  most: number,
): Promise<number> {
  const some = rows.select((eb) => eb.lit(1).as('one')).limit(most)
  return countRows(db.selectFrom(some.as('device')) as unknown as SelectQueryBuilder<Tables, Table, object>) // the name does not matter
}
