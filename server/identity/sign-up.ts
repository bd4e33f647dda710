import { rateLimited } from '../config/limits.ts'
import type { Transaction } from '../db/transaction.ts'
import { checkAll, checkEmail, checkName } from '../lib/check.ts'
import type { Shared } from '../lib/limiter.ts'
import { createUser } from '../users/create-user.ts'
import type { AuthRequest } from './auth-request.ts'
import { createBackoff, SIGN_UPS } from './backoff.ts'
import { sendVerification } from './email-verification.ts'
import { checkPassword, type Passwords } from './password.ts'
import { type SignedIn, signInAs } from './sign-in.ts'

interface NewPerson {
  email: string
  name: string
  password: string
}

/** Creates a person with a personal account, and signs in. */
export async function signUp(request: AuthRequest, input: NewPerson): Promise<SignedIn> {
  const person = await prepareUser(request.passwords, input)
  return request.database.transaction(async (db) => {
    return createAccount(db, request, person)
  })
}

/** Creates the account inside a transaction, and signs in; where the portal sends email, the address has to be verified. */
export async function createAccount(
  db: Transaction,
  request: AuthRequest,
  person: Awaited<ReturnType<typeof prepareUser>> & { id?: string },
): Promise<SignedIn> {
  const { userId, personalOrganization } = await createUser(db, request.now(), {
    ...person,
    isVerified: false,
    ip: request.address,
  })
  const user = { ...person, id: userId, personalOrganizationId: personalOrganization.id }
  if (request.mail) await sendVerification(db, request.now(), user, request.mail)
  return signInAs(db, request, user)
}

/** Counts a sign-up from a source; throws when there are too many. Accepting an invitation is not counted. */
export function createSignUpLimit(
  shared: Shared,
  waitsMs: readonly number[] = SIGN_UPS.waitsMs,
): (source: string) => Promise<void> {
  const count = createBackoff('sign-up', { ...SIGN_UPS, waitsMs }, shared)
  return async (source) => {
    const { waitMs } = await count(source)
    if (waitMs === 0) return
    const message =
      'Too many accounts were created from your network. Wait for the time in Retry-After, or ask for an invitation.'
    throw rateLimited('sign_ups', waitMs, message)
  }
}

/** Checks the input of a new person and hashes the password: what `createUser` needs, before any transaction. */
export async function prepareUser(passwords: Passwords, { email, name, password }: NewPerson) {
  const checked = checkAll({
    email: () => checkEmail('email', email),
    name: () => checkName('name', name),
    password: () => checkPassword('password', password),
  })
  return { email: checked.email, name: checked.name, passwordHash: await passwords.hash(checked.password) }
}
