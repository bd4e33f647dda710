import { recordEvent } from '../audit/audit-event.ts'
import { actorOf, type Ctx, inHeldOrganization, inTransaction, requireAdmin } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import type { ApiKeyTable, Db } from '../db/tables.ts'
import { badInput, checkText } from '../lib/check.ts'
import { Failure } from '../lib/failure.ts'
import { newId } from '../lib/id.ts'
import { decodeCursor, encodeCursor, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import { hashSecret, mintSecret } from '../lib/secret.ts'
import { currentOrganization } from '../organizations/organization.ts'

const MAX_ACTIVE_KEYS = 100
const START_LENGTH = 10

/** All that can be told of a key; the hash has to be asked for by name. */
export type ApiKey = Omit<ApiKeyTable, 'secretHash'>

const COLUMNS = [
  'id',
  'organizationId',
  'label',
  'start',
  'createdAt',
  'createdByKind',
  'createdById',
  'createdByName',
  'lastUsedAt',
  'lastUsedFrom',
  'expiresAt',
] as const satisfies (keyof ApiKey)[]

interface NewKey {
  label?: string | null | undefined
  expiresAt?: number | null | undefined
}

/** Generates a key that is active at once (K1). The secret is in the answer and nowhere else (K4, C8). */
export function generateApiKey(outer: Ctx, input: NewKey = {}): Promise<{ apiKey: ApiKey; secret: string }> {
  requireAdmin(outer.caller)
  const now = outer.now()
  const label = input.label == null ? labelFor(now) : checkText('label', input.label)
  const expiresAt = input.expiresAt ?? null
  if (expiresAt !== null && expiresAt <= now) throw badInput('expiresAt', 'expiresAt: a moment in the future.')

  return inHeldOrganization(outer, async (ctx) => {
    const organization = await currentOrganization(ctx)
    if (organization.apiKeysEnabled === 0) throw new Failure('FEATURE_DISABLED')
    if ((await countActiveKeys(ctx.db, organization.id, now)) >= MAX_ACTIVE_KEYS) {
      throw new Failure('LIMIT_EXCEEDED', {
        says: `An organization has at most ${MAX_ACTIVE_KEYS} active keys: revoke one that is no longer used.`,
      })
    }
    const secret = mintSecret('emp_')
    const apiKey = await insertKey(ctx, { label, expiresAt, secret, now })
    await recordEvent(ctx, { action: 'api_key.generated', subject: label, details: `key ${apiKey.id}` })
    return { apiKey, secret }
  })
}

async function insertKey(
  { db, caller }: Ctx,
  { label, expiresAt, secret, now }: { label: string; expiresAt: number | null; secret: string; now: number },
): Promise<ApiKey> {
  const creator = actorOf(caller)
  const apiKey = await db
    .insertInto('apiKey')
    .values({
      id: newId(now),
      organizationId: caller.organizationId,
      label,
      start: secret.slice(0, START_LENGTH),
      secretHash: hashSecret(secret),
      createdAt: now,
      createdByKind: creator.kind,
      createdById: creator.id,
      createdByName: creator.name,
      lastUsedAt: null,
      lastUsedFrom: null,
      expiresAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  if (caller.kind === 'API_KEY') await noteLineage(db, caller.keyId, apiKey.id)
  return apiKey
}

/** A key descends from the key that made it and from all that one descends from. */
async function noteLineage(db: Db, parentId: string, keyId: string): Promise<void> {
  const above = await db.selectFrom('apiKeyLineage').select('ancestorId').where('keyId', '=', parentId).execute()
  const ancestors = [parentId, ...above.map((row) => row.ancestorId)]
  await db
    .insertInto('apiKeyLineage')
    .values(ancestors.map((ancestorId) => ({ ancestorId, keyId })))
    .execute()
}

/** The keys of the organization, the newest first (K13); also with the feature off (K11). */
export async function listApiKeys(ctx: Ctx, args: PageArgs): Promise<Page<ApiKey>> {
  requireAdmin(ctx.caller)
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string'])
  const all = ctx.db.selectFrom('apiKey').where('organizationId', '=', ctx.caller.organizationId)
  const rows = await (cursor ? all.where('id', '<', cursor[0]) : all)
    .select(COLUMNS)
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute()
  return pageOf(
    rows,
    size,
    (row) => encodeCursor([row.id]),
    () => countRows(all),
  )
}

export async function findApiKey(ctx: Ctx, id: string): Promise<ApiKey> {
  requireAdmin(ctx.caller)
  const apiKey = await ctx.db
    .selectFrom('apiKey')
    .select(COLUMNS)
    .where('organizationId', '=', ctx.caller.organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!apiKey) throw new Failure('NOT_FOUND')
  return apiKey
}

export function renameApiKey(outer: Ctx, id: string, label: string): Promise<ApiKey> {
  requireAdmin(outer.caller)
  const checked = checkText('label', label)
  return inTransaction(outer, async (ctx) => {
    const before = await findApiKey(ctx, id)
    if (before.label === checked) return before
    await ctx.db.updateTable('apiKey').set({ label: checked }).where('id', '=', id).execute()
    await recordEvent(ctx, { action: 'api_key.renamed', subject: checked, details: `was ${before.label}; key ${id}` })
    return { ...before, label: checked }
  })
}

/** The same count for whoever may know it: an Admin of that organization, a key of it, or support. */
export async function activeApiKeyCount(ctx: Ctx, organizationId: string): Promise<number> {
  if (!(await mayCountKeys(ctx, organizationId))) throw new Failure('FORBIDDEN')
  return countActiveKeys(ctx.db, organizationId, ctx.now())
}

async function mayCountKeys({ caller, db }: Ctx, organizationId: string): Promise<boolean> {
  if (organizationId === caller.organizationId && caller.role === 'ADMIN') return true
  if (caller.kind !== 'USER') return false
  if (caller.support) return true
  const membership = await db
    .selectFrom('membership')
    .select('role')
    .where('organizationId', '=', organizationId)
    .where('userId', '=', caller.userId)
    .executeTakeFirst()
  return membership?.role === 'ADMIN'
}

/** How many keys of an organization are accepted now. */
export function countActiveKeys(db: Db, organizationId: string, now: number): Promise<number> {
  return countRows(
    db
      .selectFrom('apiKey')
      .where('organizationId', '=', organizationId)
      .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)])),
  )
}

const labelFor = (now: number) => `Key of ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')}`
