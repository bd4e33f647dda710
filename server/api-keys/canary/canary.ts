import { about, recordEvent } from '../../audit/audit-event.ts'
import { createdWith, deletedWith } from '../../audit/changed-fields.ts'
import {
  actorOf,
  type Ctx,
  inTransaction,
  requireKeyManager,
  seesCanaryKeys,
  type TransactionCtx,
  withOrganizationLock,
} from '../../caller/ctx.ts'
import { LIMITS, limitExceeded } from '../../config/limits.ts'
import { countRows } from '../../db/count.ts'
import type { CanaryApiKeyTable } from '../../db/tables.ts'
import { notFound } from '../../lib/app-error.ts'
import { checkName } from '../../lib/check.ts'
import { newId } from '../../lib/id.ts'
import { hashSecret, mintSecret } from '../../secrets/secret.ts'
import { PREFIX_LENGTH, requireNewKeysAllowed } from '../generate.ts'

/** All public columns of a canary key; the hash has to be selected by name. */
export type CanaryApiKey = Omit<CanaryApiKeyTable, 'secretHash' | 'notifiedAt'>

const COLUMNS = [
  'id',
  'organizationId',
  'label',
  'prefix',
  'createdAt',
  'createdByKind',
  'createdById',
  'createdByName',
  'calls',
  'lastUsedAt',
  'lastUsedIp',
  'lastUsedUserAgent',
  'leakedAt',
] as const satisfies (keyof CanaryApiKey)[]

export interface GeneratedCanaryApiKey {
  canaryApiKey: CanaryApiKey
  secret: string
}

/** Generates a secret that looks like that of a key and is never accepted. It is in the answer and nowhere else. */
export function generateCanaryApiKey(outer: Ctx, given: string): Promise<GeneratedCanaryApiKey> {
  requireKeyManager(outer.caller)
  const label = checkName('label', given)
  return withOrganizationLock(outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    await requireNewKeysAllowed(ctx)
    if ((await countRows(canariesOf(ctx))) >= LIMITS.canary_keys)
      throw limitExceeded('canary_keys', `An organization has at most ${LIMITS.canary_keys} canary keys: delete one.`)
    const generated = await insertCanary(ctx, label)
    const { id } = generated.canaryApiKey
    await recordEvent(ctx, {
      action: 'canary_key.generated',
      ...about('CANARY_KEY', id, label),
      details: `canary ${id}`,
      changes: createdWith({ label }),
    })
    return generated
  })
}

async function insertCanary({ db, caller, now }: TransactionCtx, label: string): Promise<GeneratedCanaryApiKey> {
  const secret = mintSecret('emp_')
  const creator = actorOf(caller)
  const createdAt = now()
  const canaryApiKey = await db
    .insertInto('canaryApiKey')
    .values({
      id: newId(createdAt),
      organizationId: caller.organizationId,
      label,
      prefix: secret.slice(0, PREFIX_LENGTH),
      secretHash: hashSecret(secret),
      createdAt,
      createdByKind: creator.kind,
      createdById: creator.id,
      createdByName: creator.name,
      calls: 0,
      lastUsedAt: null,
      lastUsedIp: null,
      lastUsedUserAgent: null,
      notifiedAt: null,
      leakedAt: null,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { canaryApiKey, secret }
}

const canariesOf = ({ reads, caller }: Ctx) =>
  reads.selectFrom('canaryApiKey').where('organizationId', '=', caller.organizationId)

/** Lists them with the feature off as well. Not for a key that may not manage keys: whoever steals one must not learn of canaries. */
export async function listCanaryApiKeys(ctx: Ctx): Promise<CanaryApiKey[]> {
  requireKeyManager(ctx.caller)
  return canariesOf(ctx).select(COLUMNS).orderBy('id', 'desc').limit(LIMITS.canary_keys).execute()
}

/** Deletes a canary key: from then on its secret raises no alarm. */
export function deleteCanaryApiKey(outer: Ctx, id: string): Promise<string> {
  requireKeyManager(outer.caller)
  return inTransaction(outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const deleted = await ctx.db
      .deleteFrom('canaryApiKey')
      .where('organizationId', '=', ctx.caller.organizationId)
      .where('id', '=', id)
      .returning('label')
      .executeTakeFirstOrThrow(notFound)
    await recordEvent(ctx, {
      action: 'canary_key.deleted',
      ...about('CANARY_KEY', id, deleted.label),
      details: `canary ${id}`,
      changes: deletedWith(deleted),
    })
    return id
  })
}

/** A canary key of the caller's organization, for whoever may see it; undefined otherwise. */
export async function visibleCanary(ctx: Ctx, id: string): Promise<CanaryApiKey | undefined> {
  if (ctx.caller.role !== 'ADMIN' || !seesCanaryKeys(ctx.caller)) return undefined
  return canariesOf(ctx).select(COLUMNS).where('id', '=', id).executeTakeFirst()
}
