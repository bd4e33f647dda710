import type { ExpressionBuilder } from 'kysely'
import type { Db, Tables } from './tables.ts'

/** Rows of the lineage of a key, one for each descendant that exists: those of deleted keys stay for a while. */
export const descendantRows = (db: Db, ancestorId: string) =>
  db.selectFrom('apiKeyLineage').where('ancestorId', '=', ancestorId).where(descendantExists)

/** No planner turns a scalar subquery into a join: the rows of lineage are walked in their order. */
export const descendantExists = (eb: ExpressionBuilder<Tables, 'apiKeyLineage'>) =>
  eb(
    eb.selectFrom('apiKey as known').select('known.id').whereRef('known.id', '=', 'apiKeyLineage.keyId'),
    'is not',
    null,
  )
