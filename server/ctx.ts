import type { Database } from './db/database.ts'
import type { ActorKind, Db, Role } from './db/tables.ts'
import type { Clock } from './lib/clock.ts'
import { Failure } from './lib/failure.ts'

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
 * All or nothing. The caller's right is asked for again inside the transaction, so that nothing is written by a key that
 * was revoked, or a person who was removed, while the request was on its way.
 */
export function inTransaction<Who extends Caller, Result>(
  ctx: Ctx<Who>,
  work: (ctx: Ctx<Who>) => Promise<Result>,
): Promise<Result> {
  return ctx.database.transaction(async (db) => {
    const inside = { ...ctx, db }
    await requireStillAllowed(inside)
    return work(inside)
  })
}

async function requireStillAllowed({ caller, db, now }: Ctx): Promise<void> {
  if (caller.kind === 'API_KEY') {
    const key = await db.selectFrom('apiKey').select('expiresAt').where('id', '=', caller.keyId).executeTakeFirst()
    if (!key) throw new Failure('API_KEY_INVALID')
    if (key.expiresAt !== null && key.expiresAt <= now()) throw new Failure('API_KEY_EXPIRED')
  }
  if (caller.kind === 'USER') {
    const still = await db
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.userId')
      .leftJoin('membership', (join) =>
        join.onRef('membership.userId', '=', 'user.id').on('membership.organizationId', '=', caller.organizationId),
      )
      .select(['membership.role', 'user.support'])
      .where('session.id', '=', caller.sessionId)
      .executeTakeFirst()
    if (!still) throw new Failure('UNAUTHENTICATED', { says: 'Sign in again.' })
    const demoted = still.role === null || (caller.role === 'ADMIN' && still.role !== 'ADMIN')
    if (demoted || (caller.support && still.support === 0)) throw new Failure('FORBIDDEN')
  }
}
