import { insertEvent } from '../audit/audit-event.ts'
import { forShare } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { AppError } from '../lib/app-error.ts'
import { checkEmail } from '../lib/check.ts'
import { sourceOf } from '../lib/client-address.ts'
import { organizationById } from '../organizations/organization.ts'
import { byPerson, userByEmail } from '../users/create-user.ts'
import type { AuthRequest } from './auth-request.ts'
import { startSession } from './session.ts'

/** Who is signed in, their start page, and the token for the cookie. */
export interface SignedIn {
  token: string
  user: { id: string; name: string; email: string }
  organization: { slug: string; name: string }
}

type User = NonNullable<Awaited<ReturnType<typeof userByEmail>>>

/** Signs in by address and password. An unknown address costs the same work and gets the same answer as a wrong password. */
export async function signIn(request: AuthRequest, input: { email: string; password: string }): Promise<SignedIn> {
  const user = await findByPassword(request, checkEmail('email', input.email), input.password)
  if (!user) throw new AppError('UNAUTHENTICATED', { message: 'Email address or password is wrong.' })
  return request.database.transaction(
    async (db) => {
      await requireUnchanged(db, user)
      return signInAs(db, request, user)
    },
    { usesReserve: 'sign-in' },
  )
}

/** The person with this address and password, if both are right; guessing is slowed down. */
export function findByPassword(request: AuthRequest, email: string, password: string): Promise<User | undefined> {
  return request.throttle.attempt(email, sourceOf(request.address), async () => {
    const user = await userByEmail(request.database.read, email)
    const right = await request.passwords.verify(password, user?.passwordHash)
    return right ? user : undefined
  })
}

/** Refuses when the password was changed while the old one was being checked; locks it until the end of the transaction. */
export async function requireUnchanged(db: Db, { id, passwordHash }: User): Promise<void> {
  const query = db.selectFrom('user').select('passwordHash').where('id', '=', id)
  const user = await forShare(db, query).executeTakeFirst()
  if (user?.passwordHash !== passwordHash) throw new AppError('UNAUTHENTICATED', { message: 'Sign in again.' })
}

/** Starts a session in the personal account, inside the transaction in which the person has been authenticated. */
export async function signInAs(
  db: Transaction,
  request: AuthRequest,
  user: Omit<User, 'passwordHash'>,
): Promise<SignedIn> {
  const { address, userAgent } = request
  const { id, name, email, personalOrganizationId } = user
  const now = request.now()
  const token = await startSession(db, { userId: id, address, userAgent, now })
  await insertEvent(db, now, {
    action: 'user.signed_in',
    ...byPerson(user, address),
    details: `from ${address}`,
    budget: 'SIGN_IN',
  })
  const organization = await organizationById(db, personalOrganizationId)
  return { token, user: { id, name, email }, organization: { slug: organization.slug, name: organization.name } }
}
