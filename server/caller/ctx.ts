import type { ActorKind } from '../db/audit-event-table.ts'
import type { Database, ReserveUse } from '../db/database.ts'
import { forKeyShare, forNoKeyUpdate, forShare } from '../db/locks.ts'
import type { Db, Role } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { AppError } from '../lib/app-error.ts'
import { type Clock, HOUR } from '../lib/clock.ts'
import type { FieldCall } from './key-rules.ts'
import { type ApiKeyCaller, keyRefused, requireKey } from './verify-key.ts'

/** A session that was not used for this long has expired. */
export const SESSION_IDLE_MS = 12 * HOUR

/** A signed-in person, in one of their organizations. */
export interface UserCaller {
  kind: 'USER'
  userId: string
  sessionId: string
  name: string
  email: string
  /** One of the vendor's support staff. */
  support: boolean
  organizationId: string
  role: Role
}

/** The operator, on the command line (C9). */
export interface SystemCaller {
  kind: 'SYSTEM'
  organizationId: string
  role: 'ADMIN'
}

export type Caller = UserCaller | ApiKeyCaller | SystemCaller

/** What every domain function receives: the caller, where to read, and the time. */
export interface Ctx<Who extends Caller = Caller> {
  caller: Who
  /** Short reads for the organization; in a transaction, those of the transaction. `heavyReads` is for long ones. */
  reads: Db
  database: Database
  now: Clock
  /** The root field in progress, for a key. Without one, a key that is narrowed writes nothing. */
  rootCall?: FieldCall | undefined
  /** The address that the caller calls from; absent on the command line. */
  ip?: string | undefined
  /** Called with what a change has stored: the caller pays for it afterwards. */
  noteStored?: (stored: Stored) => void
  isDisconnected?: () => boolean
  /** Its transactions also work when the disk is full, or when the organization has no bytes left. */
  usesReserve?: ReserveUse
  /** Whether the portal sends email, and so requires a verified address (C14). */
  sendsMail?: boolean
}

/** A Ctx with an open transaction: what is written, locked or decided is written and read there. */
export interface TransactionCtx<Who extends Caller = Caller> extends Ctx<Who> {
  db: Transaction
}

/** What a change has stored: bytes of the audit log, of tags and of recorded answers, and events for webhooks with their bytes. */
export interface Stored {
  bytes: number
  events: number
  eventBytes: number
}

export interface Actor {
  kind: ActorKind
  id: string | null
  name: string
}

export const COMMAND_LINE: Actor = { kind: 'SYSTEM', id: null, name: 'command line' }

export function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'USER':
      return { kind: 'USER', id: caller.userId, name: caller.name }
    case 'API_KEY':
      return { kind: 'API_KEY', id: caller.keyId, name: caller.label }
    case 'SYSTEM':
      return COMMAND_LINE
  }
}

/** Requires an Admin of the organization, or one of its keys. */
export function requireAdmin({ role }: Caller): void {
  if (role !== 'ADMIN') throw new AppError('FORBIDDEN')
}

/** Requires the right to manage keys: a key also needs the permission in its rules. */
export function requireKeyManager(caller: Caller): void {
  requireAdmin(caller)
  if (caller.kind !== 'API_KEY' || caller.rules.managesKeys) return
  throw new AppError('FORBIDDEN', {
    message: 'This API key may not manage keys, by the policy of its organization. Ask a person who is an Admin there.',
  })
}

/** Whether the caller may know which secrets are those of canary keys. Whoever steals a key that reads must not. */
export const seesCanaryKeys = (caller: Caller): boolean =>
  caller.kind !== 'API_KEY' || (caller.rules.access === 'ADMIN' && caller.rules.managesKeys)

/** Requires a person: not a key, not the command line. */
export function requirePerson(ctx: Ctx): Ctx<UserCaller> {
  const { caller } = ctx
  if (caller.kind !== 'USER')
    throw new AppError('FORBIDDEN', { message: 'This needs a signed-in person, not an API key.' })
  return { ...ctx, caller }
}

export function requireSupport(ctx: Ctx): Ctx<UserCaller> {
  if (ctx.caller.kind === 'USER' && ctx.caller.support) return { ...ctx, caller: ctx.caller }
  throw new AppError('FORBIDDEN', { message: "Only the vendor's support may do this." })
}

/**
 * Runs `work` in a transaction. The caller is authorized again inside it, by the same rules as when the request
 * arrived, so that nothing is written by a key that was revoked or restricted, or a person who was removed, in the
 * meantime. `work` receives the caller as they are now.
 */
export function inTransaction<Who extends Caller, Result>(
  ctx: Ctx<Who>,
  work: (ctx: TransactionCtx<Who>) => Promise<Result>,
): Promise<Result> {
  return begin(ctx, async (inside) => work({ ...inside, caller: await callerNow(inside) }))
}

/** A transaction on a row that is found together with the authorization: `find` may only read, and its result waits for that. */
export function inTransactionOn<Who extends Caller, Found, Result>(
  ctx: Ctx<Who>,
  find: (ctx: TransactionCtx<Who>) => Promise<Found>,
  work: (ctx: TransactionCtx<Who>, found: Found) => Promise<Result>,
): Promise<Result> {
  return begin(ctx, async (inside) => {
    const [caller, found] = await Promise.all([callerNow(inside), find(inside)])
    return work({ ...inside, caller }, found)
  })
}

/** A transaction with the organization locked, for decisions that concern all of it: before the caller's row, or there are deadlocks. */
export function withOrganizationLock<Who extends Caller, Result>(
  ctx: Ctx<Who>,
  work: (ctx: TransactionCtx<Who>) => Promise<Result>,
): Promise<Result> {
  return begin(ctx, async (inside) => {
    const { db, caller } = inside
    await forNoKeyUpdate(
      db,
      db.selectFrom('organization').select('id').where('id', '=', caller.organizationId),
    ).execute()
    return work({ ...inside, caller: await callerNow(inside) })
  })
}

function begin<Who extends Caller, Result>(
  ctx: Ctx<Who>,
  work: (inside: TransactionCtx<Who>) => Promise<Result>,
): Promise<Result> {
  const { organizationId } = ctx.caller
  return ctx.database.transaction((db) => work({ ...ctx, db, reads: db }), {
    organizationId,
    usesReserve: ctx.usesReserve,
  })
}

/**
 * The caller as they are now, inside a transaction; throws if they are not allowed any more. Locks the rows that the
 * authorization depends on until the transaction ends: a revoke waits for it, or it finds them deleted.
 */
export async function callerNow<Who extends Caller>(ctx: TransactionCtx<Who>): Promise<Who> {
  const [caller, { isHeld }] = await Promise.all([allowedCaller(ctx), requireKnownState(ctx)])
  if (isHeld && caller.kind === 'API_KEY') throw keyRefused('held')
  return caller
}

async function allowedCaller<Who extends Caller>({ caller, db, now, rootCall }: TransactionCtx<Who>): Promise<Who> {
  switch (caller.kind) {
    case 'API_KEY':
      return { ...caller, ...(await requireKey(db, caller, { now: now(), rootCall })) }
    case 'USER':
      return { ...caller, ...(await requireUser(db, caller, now())) }
    case 'SYSTEM':
      return caller
  }
}

/** The transaction may run on another connection than the lookup, and so on a database that was restored. */
async function requireKnownState({ db, database: { point } }: TransactionCtx): Promise<{ isHeld: boolean }> {
  const latest = point.latest()
  const state = await db
    .selectFrom('revocationState')
    .select(['incarnation', 'sequence', 'heldSince'])
    .executeTakeFirst()
  if (!state) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause: new Error('It is being restored.') })
  point.require(state, latest)
  return { isHeld: state.heldSince !== null }
}

async function requireUser(
  db: Db,
  { sessionId, userId, organizationId, role, support }: UserCaller,
  now: number,
): Promise<Pick<UserCaller, 'role'>> {
  const membership = db
    .selectFrom('membership')
    .select('role')
    .where('organizationId', '=', organizationId)
    .where('userId', '=', userId)
  const user = db.selectFrom('user').select('support').where('id', '=', userId)
  const [, member, person] = await Promise.all([
    requireSession(db, sessionId, now),
    forShare(db, membership).executeTakeFirst(),
    support ? forShare(db, user).executeTakeFirst() : undefined,
  ])
  if (!member || (role === 'ADMIN' && member.role !== 'ADMIN')) throw new AppError('FORBIDDEN')
  if (support && person?.support !== 1) throw new AppError('FORBIDDEN')
  return { role: member.role }
}

/** Whether the session is still valid, locked inside a transaction: a revoke of it waits until the transaction ends. */
export async function requireSession(db: Db, sessionId: string, now: number): Promise<void> {
  const row = db.selectFrom('session').select(['expiresAt', 'lastSeenAt']).where('id', '=', sessionId)
  const session = await forKeyShare(db, row).executeTakeFirst()
  if (session && hasNotExpired(session, now)) return
  throw new AppError('UNAUTHENTICATED', { message: 'Sign in again.' })
}

/** Neither expired nor idle for too long. */
export const hasNotExpired = ({ expiresAt, lastSeenAt }: { expiresAt: number; lastSeenAt: number }, now: number) =>
  expiresAt > now && lastSeenAt + SESSION_IDLE_MS > now
