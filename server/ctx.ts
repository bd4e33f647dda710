import type { Database } from './db/database.ts'
import { freeze, hold, keep } from './db/locks.ts'
import type { ActorKind, Db, Role } from './db/tables.ts'
import { type CalledFrom, keyRules, refusalBy } from './key-rules.ts'
import { type Clock, HOUR } from './lib/clock.ts'
import { Failure } from './lib/failure.ts'

/** A session that was not used for so long has ended. */
export const SESSION_IDLE_MS = 12 * HOUR

/** A person who is signed in, in one of the organizations that they may enter. */
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

/** A script with an API key: an Admin of the key's organization (K6). */
export interface ApiKeyCaller {
  kind: 'API_KEY'
  keyId: string
  label: string
  organizationId: string
  role: 'ADMIN'
  /** Whether its rules let it make, rename and revoke keys: yes unless the organization has said otherwise. */
  managesKeys: boolean
  calledFrom: CalledFrom
}

/** Whoever runs the machine, by the command line (C9). */
export interface SystemCaller {
  kind: 'SYSTEM'
  organizationId: string
  role: 'ADMIN'
}

export type Caller = UserCaller | ApiKeyCaller | SystemCaller

/** What every domain function receives: who is asking, where to read and write, and what time it is. */
export interface Ctx<Who extends Caller = Caller> {
  caller: Who
  /** The read connection, or inside `inTransaction` the transaction. */
  db: Db
  database: Database
  now: Clock
  /** Whether nobody waits for the answer any more. */
  isGone?: () => boolean
  /** Whether the portal sends email, and so asks people for a verified address (C14). */
  sendsMail?: boolean
}

/** Who did it, in the words of the audit log and of a key's origin. */
export interface Actor {
  kind: ActorKind
  id: string | null
  name: string
}

/** Whoever runs the machine. */
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

/** Only an Admin of the organization, or a key of it, goes on. */
export function requireAdmin({ role }: Caller): void {
  if (role !== 'ADMIN') throw new Failure('FORBIDDEN')
}

/** The same for what is done to keys: a key goes on only if its rules let it. */
export function requireKeyManager(caller: Caller): void {
  requireAdmin(caller)
  if (caller.kind !== 'API_KEY' || caller.managesKeys) return
  throw new Failure('FORBIDDEN', {
    says: 'This API key may not manage keys, by the policy of its organization. Ask a person who is an Admin there.',
  })
}

/** Only a person goes on: not a key, not the command line. */
export function requirePerson(ctx: Ctx): Ctx<UserCaller> {
  const { caller } = ctx
  if (caller.kind !== 'USER') throw new Failure('FORBIDDEN', { says: 'This is for a signed-in person, not for a key.' })
  return { ...ctx, caller }
}

/** Only the vendor's support staff goes on. */
export function requireSupport(ctx: Ctx): Ctx<UserCaller> {
  if (ctx.caller.kind === 'USER' && ctx.caller.support) return { ...ctx, caller: ctx.caller }
  throw new Failure('FORBIDDEN', { says: "This is for the vendor's support alone." })
}

/**
 * All or nothing. The caller is judged again inside the transaction, by the same rules as when the request came, so that nothing
 * is written by a key that was revoked or narrowed, or a person who was removed, while the request was on its way. What
 * `work` is handed is the caller as they are now.
 */
export function inTransaction<Who extends Caller, Result>(
  ctx: Ctx<Who>,
  work: (ctx: Ctx<Who>) => Promise<Result>,
): Promise<Result> {
  return whileAllowed(ctx, work, async () => {})
}

/**
 * The same for what has to be found first: it is asked for in one breath with the caller's right, so `find` only reads, and
 * what it finds is handed on only to a caller who still has the right.
 */
export function inTransactionOn<Who extends Caller, Found, Result>(
  ctx: Ctx<Who>,
  find: (ctx: Ctx<Who>) => Promise<Found>,
  work: (ctx: Ctx<Who>, found: Found) => Promise<Result>,
): Promise<Result> {
  return ctx.database.transaction(async (db) => {
    const inside = { ...ctx, db }
    const [caller, found] = await Promise.all([callerNow(inside), find(inside)])
    return work({ ...inside, caller }, found)
  })
}

/**
 * The same, with the organization held: one at a time do what is counted or decided for the whole of it. It is held first,
 * before the caller's right, so that nobody waits in a circle.
 */
export function inHeldOrganization<Who extends Caller, Result>(
  ctx: Ctx<Who>,
  work: (ctx: Ctx<Who>) => Promise<Result>,
): Promise<Result> {
  const { organizationId } = ctx.caller
  return whileAllowed(ctx, work, async (db) => {
    await hold(db, db.selectFrom('organization').select('id').where('id', '=', organizationId)).execute()
  })
}

function whileAllowed<Who extends Caller, Result>(
  ctx: Ctx<Who>,
  work: (ctx: Ctx<Who>) => Promise<Result>,
  first: (db: Db) => Promise<void>,
): Promise<Result> {
  return ctx.database.transaction(async (db) => {
    await first(db)
    const inside = { ...ctx, db }
    return work({ ...inside, caller: await callerNow(inside) })
  })
}

/** What the right rests on is kept until the transaction ends: whoever takes it away waits for us, or we find it gone. */
async function callerNow<Who extends Caller>({ caller, db, now }: Ctx<Who>): Promise<Who> {
  switch (caller.kind) {
    case 'API_KEY':
      return { ...caller, ...(await requireKey(db, caller, now())) }
    case 'USER':
      return { ...caller, ...(await requireUser(db, caller, now())) }
    case 'SYSTEM':
      return caller
  }
}

/** Whoever changes the rules of a key claims its row, so they are these until the transaction ends. */
async function requireKey(
  db: Db,
  { keyId, calledFrom }: ApiKeyCaller,
  now: number,
): Promise<Pick<ApiKeyCaller, 'managesKeys'>> {
  const row = db.selectFrom('apiKey').select(['expiresAt', 'rules']).where('id', '=', keyId)
  const key = await keep(db, row).executeTakeFirst()
  if (!key) throw new Failure('API_KEY_INVALID')
  if (key.expiresAt !== null && key.expiresAt <= now) throw new Failure('API_KEY_EXPIRED')
  const rules = keyRules(key.rules)
  const refusal = refusalBy(rules, calledFrom)
  if (refusal) throw refusal
  return { managesKeys: rules.managesKeys }
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
    freeze(db, membership).executeTakeFirst(),
    support ? freeze(db, user).executeTakeFirst() : undefined,
  ])
  if (!member || (role === 'ADMIN' && member.role !== 'ADMIN')) throw new Failure('FORBIDDEN')
  if (support && person?.support !== 1) throw new Failure('FORBIDDEN')
  return { role: member.role }
}

/** Whether the session goes on, asked inside a transaction: whoever ends it waits until that has ended. */
export async function requireSession(db: Db, sessionId: string, now: number): Promise<void> {
  const row = db.selectFrom('session').select(['expiresAt', 'lastSeenAt']).where('id', '=', sessionId)
  const session = await keep(db, row).executeTakeFirst()
  if (session && hasNotEnded(session, now)) return
  throw new Failure('UNAUTHENTICATED', { says: 'Sign in again.' })
}

/** Neither at its end nor idle for too long. */
export const hasNotEnded = ({ expiresAt, lastSeenAt }: { expiresAt: number; lastSeenAt: number }, now: number) =>
  expiresAt > now && lastSeenAt + SESSION_IDLE_MS > now
