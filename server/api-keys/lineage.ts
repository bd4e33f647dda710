import type { ExpressionBuilder } from 'kysely'
import { type Ctx, requireAdmin } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import type { Tables } from '../db/tables.ts'
import { decodeCursor, encodeCursor, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import { API_KEY_COLUMNS, type ApiKey } from './api-key.ts'

/** A key that another has made, directly or through others. */
export interface ApiKeyDescendant extends ApiKey {
  /** Who made it; where that one is gone, the nearest above it that is still there. */
  parentId: string
}

/** The keys that descend from a key, the oldest first, so that each stands behind its parent. */
export async function descendantsOf(ctx: Ctx, id: string, args: PageArgs = {}): Promise<Page<ApiKeyDescendant>> {
  requireAdmin(ctx.caller)
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string'])
  const all = ctx.db
    .selectFrom('apiKeyLineage')
    .innerJoin('apiKey', 'apiKey.id', 'apiKeyLineage.keyId')
    .where('apiKeyLineage.ancestorId', '=', id)
    .where('apiKey.organizationId', '=', ctx.caller.organizationId)
  const rows = await (cursor ? all.where('apiKeyLineage.keyId', '>', cursor[0]) : all)
    .select(API_KEY_COLUMNS)
    .select((eb) => eb.fn.coalesce(makerOf(eb), nearestAbove(eb, id), eb.val(id)).as('parentId'))
    .orderBy('apiKeyLineage.keyId')
    .limit(size + 1)
    .execute()
  return pageOf(
    rows,
    size,
    (row) => encodeCursor([row.id]),
    () => countRows(all),
  )
}

type Descendants = ExpressionBuilder<Tables, 'apiKeyLineage' | 'apiKey'>

/** The key that made it, while it is there: it descends from the same key, or is that one. */
const makerOf = (eb: Descendants) =>
  eb.selectFrom('apiKey as maker').select('maker.id').whereRef('maker.id', '=', 'apiKey.createdById')

/** Of those above it that are there and descend from the same key, the youngest: what is nearer was made later. */
const nearestAbove = (eb: Descendants, id: string) =>
  eb
    .selectFrom('apiKeyLineage as above')
    .innerJoin(
      'apiKeyLineage as also',
      (
        join, // which only keys that are there have
      ) => join.onRef('also.keyId', '=', 'above.ancestorId').on('also.ancestorId', '=', id),
    )
    .select('above.ancestorId')
    .whereRef('above.keyId', '=', 'apiKeyLineage.keyId')
    .orderBy('above.ancestorId', 'desc')
    .limit(1)
