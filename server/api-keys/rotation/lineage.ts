import type { ExpressionBuilder } from 'kysely'
import { type Ctx, requireAdmin } from '../../caller/ctx.ts'
import { LIMITS } from '../../config/limits.ts'
import { API_KEY_COLUMNS } from '../../db/api-key-row.ts'
import { countRows } from '../../db/count.ts'
import { heavyReads } from '../../db/long-list.ts'
import type { Db, Tables } from '../../db/tables.ts'
import { decodeCursor, type Page, type PageArgs, pageBy, pageSize } from '../../lib/page.ts'
import type { ApiKey } from '../api-key.ts'

export interface ApiKeyDescendant extends ApiKey {
  /** The key that generated it; if that one no longer exists, the nearest ancestor that does. */
  parentId: string
}

/** Each may take a hundred lookups, if all its ancestors but the first are gone; this many take some milliseconds. */
const FEW = 50

/** The keys that descend from a key, the oldest first, so that each comes after its parent. */
export async function descendantsOf(ctx: Ctx, id: string, args: PageArgs = {}): Promise<Page<ApiKeyDescendant>> {
  requireAdmin(ctx.caller)
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string'])
  const db = size > FEW ? heavyReads(ctx) : ctx.reads
  // Page and count come from the primary key of lineage alone; the organization is checked for each key that is shown.
  const all = descendantRows(db, id)
  const page = (cursor ? all.where('keyId', '>', cursor[0]) : all)
    .select('keyId')
    .orderBy('keyId')
    .limit(size + 1)
  const rows = await db
    .selectFrom(page.as('page'))
    .crossJoin('apiKey') // SQLite keeps this order: the page first, then each key by its id
    .whereRef('apiKey.id', '=', 'page.keyId')
    .where('apiKey.organizationId', '=', ctx.caller.organizationId)
    .select(API_KEY_COLUMNS)
    .select((eb) => eb.fn.coalesce(creatorOf(eb), nearestAbove(eb, id), eb.val(id)).as('parentId'))
    .execute()
  const inOrder = rows.sort((a, b) => (a.id < b.id ? -1 : 1))
  return pageBy(['id'], inOrder, size, () => countRows(all))
}

type Descendants = ExpressionBuilder<Tables & { page: { keyId: string } }, 'page' | 'apiKey'>

/** The key that generated it, while it exists: it descends from the same key, or is that key. */
const creatorOf = (eb: Descendants) =>
  eb.selectFrom('apiKey as maker').select('maker.id').whereRef('maker.id', '=', 'apiKey.createdById')

/**
 * The youngest of its ancestors that exist and descend from the same key: a nearer one was created later. They are read
 * first, which the limit ensures, and each is looked up by its whole key: no planner turns a scalar subquery into a
 * join.
 */
const nearestAbove = (eb: Descendants, id: string) =>
  eb
    .selectFrom((inner) =>
      inner
        .selectFrom('apiKeyLineage as line')
        .select('line.ancestorId')
        .whereRef('line.keyId', '=', 'page.keyId')
        .limit(LIMITS.key_ancestors)
        .as('above'),
    )
    .select((inner) => inner.fn.max('above.ancestorId').as('id'))
    .where((inner) =>
      inner(
        inner
          .selectFrom('apiKeyLineage as other')
          .select('other.keyId')
          .where('other.ancestorId', '=', id)
          .whereRef('other.keyId', '=', 'above.ancestorId'),
        'is not',
        null,
      ),
    )
    .where((inner) =>
      inner(
        inner.selectFrom('apiKey as known').select('known.id').whereRef('known.id', '=', 'above.ancestorId'),
        'is not',
        null,
      ),
    )

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
