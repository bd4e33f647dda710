import { about, type NewEvent, recordEvents } from '../audit/audit-event.ts'
import { deletedWith } from '../audit/changed-fields.ts'
import { actorOf, type Ctx, inTransactionOn, requireKeyManager, type TransactionCtx } from '../caller/ctx.ts'
import { forUpdate } from '../db/locks.ts'
import { openInvitations } from '../db/open-invitations.ts'
import type { ApiKeyTable } from '../db/tables.ts'
import type { NewRevocation, Receipt, Transaction } from '../db/transaction.ts'
import { AppError } from '../lib/app-error.ts'
import { checkText } from '../lib/check.ts'
import { auditedKeyInFull } from './api-key.ts'
import { deleteKeys, type Removal } from './deletion.ts'

export const MAX_REASON = 200
/** For a key that is gone, by no clock: one that is behind would accept a restored key until its time has come. */
const AT_ONCE = 0

export interface RevokedApiKeys {
  ids: string[]
  revokedAt: number
  receipt: Receipt
}

type EndingKey = Pick<ApiKeyTable, 'id' | 'organizationId' | 'secretHash'>

/** A key that is locked, with how many open invitations end with it: those that it created or raised to Admin. */
export interface KeyToRevoke
  extends EndingKey,
    Pick<ApiKeyTable, 'label' | 'prefix' | 'lastUsedAt' | 'lastUsedIp' | 'expiresAt' | 'rules'> {
  invitations: number
}

interface Revoke extends Partial<Pick<Removal, 'by' | 'reason'>>, Pick<Removal, 'cause'> {
  events: readonly NewEvent[]
}

/** Revokes keys for good, in the transaction that has locked them: every way to revoke keys of an organization ends here. */
export async function revokeKeys(
  ctx: TransactionCtx,
  keys: readonly EndingKey[],
  { events, ...removal }: Revoke,
): Promise<RevokedApiKeys> {
  const revokedAt = ctx.now()
  if (keys.length > 0) await recordEvents(ctx, events)
  const receipt = await endKeys(ctx.db, keys, { at: revokedAt, by: actorOf(ctx.caller), ...removal })
  return { ids: keys.map(({ id }) => id), revokedAt, receipt }
}

/** Deletes keys, and records that they are refused from then on. */
export async function endKeys(db: Transaction, keys: readonly EndingKey[], removal: Removal): Promise<Receipt> {
  const ids = keys.map(({ id }) => id)
  await deleteKeys(db, ids, removal)
  return db.recordRevocations(keys.map((key) => keyRevocation(key, AT_ONCE)))
}

/** The record that this key is refused from then on: it has the hash of the secret and nothing else about the key. */
export const keyRevocation = (
  { organizationId, secretHash }: Omit<EndingKey, 'id'>,
  endsAt: number,
): NewRevocation => ({ kind: 'KEY', organizationId, subject: Buffer.from(secretHash).toString('hex'), endsAt })

interface RevokeOptions {
  includeDescendants?: boolean
  reason?: string | null | undefined
}

/** Revokes a key for good, with the keys that descend from it if asked: when this returns, none of them is accepted (K10). */
export function revokeApiKey(
  outer: Ctx,
  id: string,
  { includeDescendants = false, reason: given }: RevokeOptions = {},
): Promise<RevokedApiKeys> {
  requireKeyManager(outer.caller)
  const reason = checkReason(given)
  const find = (ctx: TransactionCtx) => lockKeysToRevoke(ctx, (keys) => keys.where('id', '=', id))
  return inTransactionOn({ ...outer, usesReserve: 'revoke' }, find, async (ctx, found) => {
    requireKeyManager(ctx.caller)
    if (found.length === 0) throw new AppError('NOT_FOUND')
    const keys = includeDescendants ? [...found, ...(await lockDescendants(ctx, id))] : found
    return revokeKeys(ctx, keys, { cause: 'REVOKED', reason, events: keys.map((key) => eventOf(key, reason)) })
  }).catch(settled(outer))
}

/** A reason as it is stored; null: none was given. */
export const checkReason = (reason: string | null | undefined): string | null =>
  reason == null ? null : checkText('reason', reason, { max: MAX_REASON })

/** A key that does not exist may have been revoked by a process that was killed before it wrote to the ledger. */
export const settled =
  ({ database }: Ctx) =>
  async (error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') await database.settleRevocations()
    throw error
  }

/** The keys of the organization, in the order in which all transactions lock keys. */
const keysOf = ({ db, caller }: TransactionCtx) =>
  db
    .selectFrom('apiKey')
    .select(['id', 'organizationId', 'secretHash', 'label', 'prefix', 'lastUsedAt', 'lastUsedIp', 'expiresAt', 'rules'])
    .where('organizationId', '=', caller.organizationId)
    .orderBy('id')

type Keys = ReturnType<typeof keysOf>

/** Locks keys and counts their invitations, sent together: the count runs after the lock, when no more are added. */
export async function lockKeysToRevoke(ctx: TransactionCtx, narrow: (keys: Keys) => Keys): Promise<KeyToRevoke[]> {
  const { db, caller, now } = ctx
  const ids = narrow(keysOf(ctx)).clearSelect().clearOrderBy().select('id')
  const ended = openInvitations(db, now())
    .where('invitation.organizationId', '=', caller.organizationId)
    .where((eb) => eb.or([eb('invitation.invitedByKeyId', 'in', ids), eb('invitation.raisedByKeyId', 'in', ids)]))
    .select(['invitation.invitedByKeyId', 'invitation.raisedByKeyId'])
  const [keys, invitations] = await Promise.all([forUpdate(db, narrow(keysOf(ctx))).execute(), ended.execute()])
  const ofKey = (id: string) =>
    invitations.filter(({ invitedByKeyId, raisedByKeyId }) => invitedByKeyId === id || raisedByKeyId === id)
  return keys.map((key) => ({ ...key, invitations: ofKey(key.id).length }))
}

/** Every key that descends from this one, even through one that is gone (C2). A locked key generates no more, so the search ends. */
async function lockDescendants(ctx: TransactionCtx, id: string): Promise<KeyToRevoke[]> {
  let before: KeyToRevoke[]
  let found: KeyToRevoke[] = []
  do {
    before = found
    const above = [id, ...before.map((key) => key.id)] // not all that a key descends from is stored with it
    const descendants = ctx.db.selectFrom('apiKeyLineage').select('keyId').where('ancestorId', 'in', above)
    found = await lockKeysToRevoke(ctx, (keys) => keys.where('id', 'in', descendants))
  } while (found.length > before.length)
  return found
}

const eventOf = (key: KeyToRevoke, reason: string | null): NewEvent => ({
  action: 'api_key.revoked',
  ...about('API_KEY', key.id, key.label),
  details: `key ${key.id}${endedInvitations([key])}${reasonText(reason)}`,
  changes: deletedWith(auditedKeyInFull(key)),
})

/** For the details of an audit event; empty when no invitation ends with these keys. */
export function endedInvitations(keys: readonly KeyToRevoke[]): string {
  const ended = keys.reduce((sum, { invitations }) => sum + invitations, 0)
  if (ended === 0) return ''
  return ended === 1 ? '; 1 open invitation ended' : `; ${ended} open invitations ended`
}

export const reasonText = (reason: string | null | undefined): string => (reason == null ? '' : `; reason: ${reason}`)
