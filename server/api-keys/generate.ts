import { recordEvent } from '../audit/audit-event.ts'
import { actorOf, type Ctx, inHeldOrganization, requireKeyManager } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import type { Db, Flag } from '../db/tables.ts'
import { badInput, checkText } from '../lib/check.ts'
import { Failure } from '../lib/failure.ts'
import { newId } from '../lib/id.ts'
import { hashSecret, mintSecret } from '../lib/secret.ts'
import { currentOrganization } from '../organizations/organization.ts'
import { API_KEY_COLUMNS, type ApiKey, activeKeysOf } from './api-key.ts'
import { checkEndAgainst, mostKeys, policyOf, rulesFor } from './policy.ts'

const START_LENGTH = 10

export interface GeneratedApiKey {
  apiKey: ApiKey
  secret: string
}

interface NewKey {
  label?: string | null | undefined
  expiresAt?: number | null | undefined
}

/** Generates a key that is active at once (K1). The secret is in the answer and nowhere else (K4, C8). */
export function generateApiKey(outer: Ctx, input: NewKey = {}): Promise<GeneratedApiKey> {
  requireKeyManager(outer.caller)
  const now = outer.now()
  const label = input.label == null ? labelFor(now) : checkText('label', input.label)
  const expiresAt = checkEnd(input.expiresAt, now)

  return inHeldOrganization(outer, async (ctx) => {
    const organization = await currentOrganization(ctx)
    if (organization.apiKeysEnabled === 0) throw new Failure('FEATURE_DISABLED')
    const policy = policyOf(organization)
    await requireRoom(ctx, mostKeys(policy))
    checkEndAgainst(policy, expiresAt, now)
    const labelled = input.label == null ? 0 : 1
    if (policy.labelRequired && !labelled)
      throw badInput('label', 'label: required, by the policy of the organization.')
    const rules = rulesFor(policy)
    const generated = await insertKey(ctx, { label, labelled, expiresAt, rules, replacesId: null })
    await recordEvent(ctx, {
      action: 'api_key.generated',
      subject: label,
      details: `key ${generated.apiKey.id}`,
    })
    return generated
  })
}

export function checkEnd(expiresAt: number | null | undefined, now: number): number | null {
  if (expiresAt == null) return null
  if (expiresAt <= now) throw badInput('expiresAt', 'expiresAt: a moment in the future.')
  return expiresAt
}

/** A key that has been replaced and waits for its end takes no room. */
async function requireRoom({ db, caller, now }: Ctx, most: number): Promise<void> {
  const active = await countRows(activeKeysOf(db, caller.organizationId, now()).where('replacedById', 'is', null))
  if (active < most) return
  throw new Failure('LIMIT_EXCEEDED', {
    says: `An organization has at most ${most} active keys: revoke one that is no longer used.`,
  })
}

/** Puts a key with a new secret in place, inside the caller's transaction. */
export async function insertKey(
  { db, caller, now }: Ctx,
  given: {
    label: string
    labelled: Flag
    expiresAt: number | null
    rules: string | null
    replacesId: string | null
  },
): Promise<GeneratedApiKey> {
  const secret = mintSecret('emp_')
  const creator = actorOf(caller)
  const createdAt = now()
  const apiKey = await db
    .insertInto('apiKey')
    .values({
      id: newId(createdAt),
      organizationId: caller.organizationId,
      start: secret.slice(0, START_LENGTH),
      secretHash: hashSecret(secret),
      createdAt,
      createdByKind: creator.kind,
      createdById: creator.id,
      createdByName: creator.name,
      lastUsedAt: null,
      lastUsedFrom: null,
      lastUsedAgent: null,
      lastUsedFor: null,
      replacedById: null,
      ...given,
    })
    .returning(API_KEY_COLUMNS)
    .executeTakeFirstOrThrow()
  if (caller.kind === 'API_KEY') await noteLineage(db, caller.keyId, apiKey.id)
  return { apiKey, secret }
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

const labelFor = (now: number) => `Key of ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')}`
