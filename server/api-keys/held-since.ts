import type { Ctx } from '../ctx.ts'
import type { Db } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { mayCountKeys } from './api-key.ts'

/** Since when the keys of an organization are held, as those of all others are. */
export async function apiKeysHeldSince(ctx: Ctx, organizationId: string): Promise<number | null> {
  if (!(await mayCountKeys(ctx, organizationId))) throw new AppError('FORBIDDEN')
  return heldSince(ctx.db)
}

/** Since when no key is accepted, because the database was restored and revocations may be missing; null: not so. */
export async function heldSince(db: Db): Promise<number | null> {
  const state = await db.selectFrom('revocationState').select('heldSince').executeTakeFirstOrThrow()
  return state.heldSince
}
