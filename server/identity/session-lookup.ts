import type { UserCaller } from '../ctx.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { hashSecret, isWellFormed } from '../lib/secret.ts'
import { SESSION_IDLE_MS } from './session.ts'

/** What a session token turns out to be. An organization that is not theirs is one that is not there. */
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

const findInPersonalAccount = prepared((db, { tokenHash }: { tokenHash: Uint8Array }) =>
  sessionAndUser(db, tokenHash)
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organizationId', '=', 'user.personalOrganizationId')
        .onRef('membership.userId', '=', 'user.id'),
    )
    .select(['membership.organizationId', 'membership.role']),
)

const findInOrganization = prepared((db, { tokenHash, slug }: { tokenHash: Uint8Array; slug: string }) =>
  sessionAndUser(db, tokenHash)
    .leftJoin('organization', (join) => join.on('organization.slug', '=', slug))
    .leftJoin('membership', (join) =>
      join.onRef('membership.organizationId', '=', 'organization.id').onRef('membership.userId', '=', 'user.id'),
    )
    .select(['membership.organizationId', 'membership.role']),
)

/**
 * Asks the database who is signed in and what they are in the organization; without a slug, in their personal account.
 * The answer is never kept: whoever signed out, was removed or lost a role is told so with the next request.
 */
export async function lookUpSession(
  db: Db,
  token: string,
  organizationSlug: string | undefined,
  now: number,
): Promise<SessionLookup> {
  if (!isWellFormed('ems_', token)) return INVALID
  const tokenHash = hashSecret(token)
  const [row] = organizationSlug
    ? await findInOrganization(db, { tokenHash, slug: organizationSlug })
    : await findInPersonalAccount(db, { tokenHash })
  if (!row || row.expiresAt <= now || row.lastSeenAt + SESSION_IDLE_MS <= now) return INVALID
  const { sessionId, userId, name, email, organizationId, role, lastSeenAt } = row
  if (organizationId === null || role === null) return { outcome: 'no-such-organization' }
  const support = row.support === 1
  return {
    outcome: 'accepted',
    caller: { kind: 'USER', userId, sessionId, name, email, support, organizationId, role },
    lastSeenAt,
  }
}
