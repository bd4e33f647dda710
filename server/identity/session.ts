import { type Ctx, inTransaction, requirePerson, SESSION_IDLE_MS, type UserCaller } from '../caller/ctx.ts'
import { LIMITS } from '../config/limits.ts'
import type { Database } from '../db/database.ts'
import type { Db, SessionTable } from '../db/tables.ts'
import { notFound } from '../lib/app-error.ts'
import { DAY } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { LastSeen } from '../lib/last-seen-buffer.ts'
import { storable } from '../lib/plain-text.ts'
import { hashSecret, isWellFormed, mintSecret } from '../secrets/secret.ts'

export const SESSION_LIFETIME_MS = 7 * DAY
const MAX_USER_AGENT = 200
const MAX_ADDRESS = 64

/** A session as its person sees it. */
export type Session = Omit<SessionTable, 'userId' | 'tokenHash'> & { current: boolean }

interface NewSession {
  userId: string
  address: string
  userAgent: string
  now: number
}

/** Signs a person in: the token is in the answer and nowhere else. Deletes their expired sessions. */
export async function startSession(db: Db, { userId, address, userAgent, now }: NewSession): Promise<string> {
  await sweep(db, userId, now)
  const token = mintSecret('ems_')
  await db
    .insertInto('session')
    .values({
      id: newId(now),
      userId,
      tokenHash: hashSecret(token),
      address: storable(address, MAX_ADDRESS),
      userAgent: storable(userAgent, MAX_USER_AGENT),
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + SESSION_LIFETIME_MS,
    })
    .execute()
  return token
}

/** Signs out the session of this token; does nothing if there is none. */
export async function signOut(
  { read, transaction }: Pick<Database, 'read' | 'transaction'>,
  token: string,
): Promise<void> {
  if (!isWellFormed('ems_', token)) return
  const tokenHash = hashSecret(token)
  const found = await read.selectFrom('session').select('id').where('tokenHash', '=', tokenHash).executeTakeFirst()
  if (!found) return // without a session, no transaction is needed
  await transaction((db) => db.deleteFrom('session').where('tokenHash', '=', tokenHash).execute(), {
    usesReserve: 'revoke',
  })
}

/** Revokes every session of a person, inside a transaction. */
export async function revokeAllSessions(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('session').where('userId', '=', userId).execute()
}

export async function listSessions(outer: Ctx): Promise<Session[]> {
  const { caller, reads, now } = requirePerson(outer)
  const rows = await reads
    .selectFrom('session')
    .select(['id', 'address', 'userAgent', 'createdAt', 'lastSeenAt', 'expiresAt'])
    .where('userId', '=', caller.userId)
    .where('expiresAt', '>', now())
    .where('lastSeenAt', '>', now() - SESSION_IDLE_MS)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(LIMITS.sessions_of_person)
    .execute()
  return rows.map((row) => ({
    ...row,
    userAgent: storable(row.userAgent, MAX_USER_AGENT), // older versions stored it unchecked
    current: row.id === caller.sessionId,
  }))
}

/** A person revokes one of their sessions: it is refused from the next request on. */
export function revokeSession(outer: Ctx, id: string): Promise<string> {
  return inTransaction(requirePerson({ ...outer, usesReserve: 'revoke' }), async ({ db, caller }) => {
    await sessionsEnded(db, caller).where('id', '=', id).executeTakeFirstOrThrow(notFound)
    return id
  })
}

/** A person revokes all their sessions but this one; returns how many. */
export function revokeOtherSessions(outer: Ctx): Promise<number> {
  return inTransaction(requirePerson({ ...outer, usesReserve: 'revoke' }), async ({ db, caller }) => {
    const ended = await sessionsEnded(db, caller).where('id', '!=', caller.sessionId).execute()
    return ended.length
  })
}

const sessionsEnded = (db: Db, { userId }: UserCaller) =>
  db.deleteFrom('session').where('userId', '=', userId).returning('id')

/** Writes when sessions were last seen; never backwards, and nothing for a session that was revoked or has expired. */
export function writeLastSeen(database: Database, batch: readonly LastSeen[]): Promise<void> {
  return database.transaction(async (db) => {
    for (const { id, at } of batch) {
      const session = db.updateTable('session').set({ lastSeenAt: at }).where('id', '=', id)
      await session.where('lastSeenAt', '<', at).execute()
    }
  })
}

/** Deletes expired sessions, and the oldest if there would be too many. */
async function sweep(db: Db, userId: string, now: number): Promise<void> {
  await db
    .deleteFrom('session')
    .where('userId', '=', userId)
    .where((eb) => eb.or([eb('expiresAt', '<=', now), eb('lastSeenAt', '<=', now - SESSION_IDLE_MS)]))
    .execute()
  const kept = db
    .selectFrom('session')
    .select('id')
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .limit(LIMITS.sessions_of_person - 1)
  await db.deleteFrom('session').where('userId', '=', userId).where('id', 'not in', kept).execute()
}
