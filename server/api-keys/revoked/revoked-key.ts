import { type Ctx, requireAdmin } from '../../caller/ctx.ts'
import type { RevokedApiKeyTable } from '../../db/api-key-tables.ts'
import type { OldRows } from '../../db/delete-in-steps.ts'
import { countMatching } from '../../db/long-list.ts'
import type { Db } from '../../db/tables.ts'
import { notFound } from '../../lib/app-error.ts'
import { decodeCursor, type Page, type PageArgs, pageBy, pageSize } from '../../lib/page.ts'

export type RevokedApiKey = RevokedApiKeyTable

/** The keys of the organization that are gone, the last one first, for as long as audit events are stored. */
export async function listRevokedKeys(ctx: Ctx, args: PageArgs): Promise<Page<RevokedApiKey>> {
  requireAdmin(ctx.caller)
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['number', 'string'])
  const mine = (db: Db) => db.selectFrom('revokedApiKey').where('organizationId', '=', ctx.caller.organizationId)
  const all = mine(ctx.reads)
  const following = cursor ? all.where((eb) => eb(eb.refTuple('revokedAt', 'id'), '<', eb.tuple(...cursor))) : all
  const rows = await following
    .selectAll()
    .orderBy('revokedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute()
  return pageBy(['revokedAt', 'id'], rows, size, () => countMatching(ctx, mine))
}

export async function findRevokedKey({ caller, reads }: Ctx, id: string): Promise<RevokedApiKey> {
  requireAdmin(caller)
  const mine = reads.selectFrom('revokedApiKey').selectAll().where('organizationId', '=', caller.organizationId)
  return mine.where('id', '=', id).executeTakeFirstOrThrow(notFound)
}

/** Their ids begin with the time of their creation, so they are found by the time of their removal. */
export const oldRevokedKeys = (before: number): OldRows => ({
  find: (db, _after, limit) =>
    db
      .selectFrom('revokedApiKey')
      .select('id')
      .where('revokedAt', '<', Math.max(0, before)) // never: minus infinity
      .orderBy('revokedAt')
      .limit(limit)
      .execute(),
  delete: (db, ids) => db.deleteFrom('revokedApiKey').where('id', 'in', ids),
})
