import { hasNotExpired, type UserCaller } from '../caller/ctx.ts'
import type { Database } from '../db/database.ts'
import { lookup } from '../db/lookup.ts'
import type { Db } from '../db/tables.ts'
import { hashSecret, isWellFormed } from '../secrets/secret.ts'

/** The result of looking up a session token. An organization that the person is not in looks like one that does not exist. */
export type SessionLookup =
  | { outcome: 'accepted'; caller: UserCaller; lastSeenAt: number }
  | { outcome: 'invalid' }
  | { outcome: 'no-such-organization' }

const INVALID: SessionLookup = { outcome: 'invalid' }

const sessionAndUser = (db: Db, tokenHash: Uint8Array) =>
  db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.userId')
    .select(['session.id as sessionId', 'session.lastSeenAt', 'session.expiresAt'])
    .select(['user.id as userId', 'user.name', 'user.email', 'user.support'])
    .where('session.tokenHash', '=', tokenHash)

const inPersonalAccount = lookup({ tokenHash: 'bytes' }, (db, { tokenHash }) =>
  sessionAndUser(db, tokenHash)
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organizationId', '=', 'user.personalOrganizationId')
        .onRef('membership.userId', '=', 'user.id'),
    )
    .select(['membership.organizationId', 'membership.role']),
)

const inOrganization = lookup({ tokenHash: 'bytes', slug: 'text' }, (db, { tokenHash, slug }) =>
  sessionAndUser(db, tokenHash)
    .leftJoin('organization', (join) => join.on('organization.slug', '=', slug))
    .leftJoin('membership', (join) =>
      join.onRef('membership.organizationId', '=', 'organization.id').onRef('membership.userId', '=', 'user.id'),
    )
    .select(['membership.organizationId', 'membership.role']),
)

/** Who is signed in, and their role; without a slug in their personal account. Never cached: a removal takes effect with the next request. */
export async function lookUpSession(
  database: Database,
  token: string,
  organizationSlug: string | undefined,
): Promise<SessionLookup> {
  if (!isWellFormed('ems_', token)) return INVALID
  const tokenHash = hashSecret(token)
  const { row, now } = organizationSlug
    ? await database.lookUp(inOrganization, { tokenHash, slug: organizationSlug })
    : await database.lookUp(inPersonalAccount, { tokenHash })
  if (!row || !hasNotExpired(row, now)) return INVALID
  const { sessionId, userId, name, email, organizationId, role, lastSeenAt } = row
  if (organizationId === null || role === null) return { outcome: 'no-such-organization' }
  const support = row.support === 1
  return {
    outcome: 'accepted',
    caller: { kind: 'USER', userId, sessionId, name, email, support, organizationId, role },
    lastSeenAt,
  }
}
