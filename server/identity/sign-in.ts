import { insertEvent } from '../audit/audit-event.ts'
import { freeze } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import { checkEmail } from '../lib/check.ts'
import { Failure } from '../lib/failure.ts'
import { sourceOf } from '../lib/source.ts'
import { organizationById } from '../organizations/organization.ts'
import { userByEmail } from '../users/create-user.ts'
import { startSession } from './session.ts'
import type { Visit } from './visit.ts'

/** Who is signed in now, where they land, and the token for the cookie. */
export interface SignedIn {
  token: string
  user: { id: string; name: string; email: string }
  organization: { slug: string; name: string }
}

type User = NonNullable<Awaited<ReturnType<typeof userByEmail>>>

/** Signs in by address and password. An unknown address costs the same work and gets the same answer as a wrong password. */
export async function signIn(visit: Visit, input: { email: string; password: string }): Promise<SignedIn> {
  const user = await findByPassword(visit, checkEmail('email', input.email), input.password)
  if (!user) throw new Failure('UNAUTHENTICATED', { says: 'Email address or password is wrong.' })
  return visit.database.transaction(async (db) => {
    await requireUnchanged(db, user)
    return welcome(db, visit, user)
  })
}

/** The person whose address and password these are, if they are; guessing is slowed down. */
export function findByPassword(visit: Visit, email: string, password: string): Promise<User | undefined> {
  return visit.throttle.attempt(email, sourceOf(visit.address), async () => {
    const user = await userByEmail(visit.database.read, email)
    const right = await visit.passwords.verify(password, user?.passwordHash)
    return right ? user : undefined
  })
}

/** Refuses when the password was changed while the old one was being checked; until the end of this, it is not. */
export async function requireUnchanged(db: Db, { id, passwordHash }: User): Promise<void> {
  const query = db.selectFrom('user').select('passwordHash').where('id', '=', id)
  const user = await freeze(db, query).executeTakeFirst()
  if (user?.passwordHash !== passwordHash) throw new Failure('UNAUTHENTICATED', { says: 'Sign in again.' })
}

/** Starts a session in the personal account, inside the transaction in which the person has shown who they are. */
export async function welcome(
  db: Db,
  visit: Visit,
  { id, name, email, personalOrganizationId }: Omit<User, 'passwordHash'>,
): Promise<SignedIn> {
  const { address, userAgent } = visit
  const now = visit.now()
  const token = await startSession(db, { userId: id, address, userAgent, now })
  await insertEvent(db, now, {
    action: 'user.signed_in',
    subject: name,
    details: `from ${address}`,
    actor: { kind: 'USER', id, name },
    organizationId: personalOrganizationId,
  })
  const organization = await organizationById(db, personalOrganizationId)
  return { token, user: { id, name, email }, organization: { slug: organization.slug, name: organization.name } }
}
