import { recordEvent } from '../../audit/audit-event.ts'
import { createdWith, deletedWith } from '../../audit/changes.ts'
import { actorOf, type Ctx, inTransaction, requireKeyManager, seesCanaryKeys, withOrganizationLock } from '../../ctx.ts'
import { countRows } from '../../db/count.ts'
import type { CanaryApiKeyTable } from '../../db/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { checkText } from '../../lib/check.ts'
import { newId } from '../../lib/id.ts'
import { hashSecret, mintSecret } from '../../lib/secret.ts'
import { LIMITS, limitExceeded } from '../../limits.ts'
import { currentOrganization } from '../../organizations/organization.ts'
import { requireVerifiedEmail } from '../../users/verified-email.ts'
import { PREFIX_LENGTH } from '../generate.ts'

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
  const label = checkText('label', given)
  return withOrganizationLock(outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const organization = await currentOrganization(ctx)
    if (organization.apiKeysEnabled === 0) throw new AppError('FEATURE_DISABLED')
    await requireVerifiedEmail(ctx)
    if ((await countRows(canariesOf(ctx))) >= LIMITS.canary_keys)
      throw limitExceeded('canary_keys', `An organization has at most ${LIMITS.canary_keys} canary keys: delete one.`)
    const generated = await insertCanary(ctx, label)
    const { id } = generated.canaryApiKey
    await recordEvent(ctx, {
      action: 'canary_key.generated',
      subject: label,
      ...subjectOf(id),
      changes: createdWith({ label }),
    })
    return generated
  })
}

async function insertCanary({ db, caller, now }: Ctx, label: string): Promise<GeneratedCanaryApiKey> {
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

const subjectOf = (id: string) => ({ subjectType: 'CANARY_KEY', subjectId: id, details: `canary ${id}` }) as const

const canariesOf = ({ db, caller }: Ctx) =>
  db.selectFrom('canaryApiKey').where('organizationId', '=', caller.organizationId)

/**
 * All canary keys of the organization, the newest first; also with the feature off. Not for a key that may not manage
 * keys: whoever steals one must not learn which keys are canaries.
 */
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
      .executeTakeFirst()
    if (!deleted) throw new AppError('NOT_FOUND')
    await recordEvent(ctx, {
      action: 'canary_key.deleted',
      subject: deleted.label,
      ...subjectOf(id),
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
