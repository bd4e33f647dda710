import type { Db } from '../db/tables.ts'
import { checkEmail, checkText } from '../lib/check.ts'
import { createUser } from '../users/create-user.ts'
import type { AuthRequest } from './auth-request.ts'
import { sendVerification } from './email-verification.ts'
import { checkPassword, type Passwords } from './password.ts'
import { type SignedIn, welcome } from './sign-in.ts'

interface NewPerson {
  email: string
  name: string
  password: string
}

/** Creates a person with a personal account, and signs in. */
export async function signUp(visit: AuthRequest, input: NewPerson): Promise<SignedIn> {
  const person = await prepareUser(visit.passwords, input)
  return visit.database.transaction(async (db) => {
    return arrive(db, visit, person)
  })
}

/**
 * Creates the account inside a transaction, and signs in; where the portal sends email, the address has to be verified.
 */
export async function arrive(
  db: Db,
  visit: AuthRequest,
  person: Awaited<ReturnType<typeof prepareUser>> & { id?: string },
): Promise<SignedIn> {
  const { userId, personalOrganization } = await createUser(db, visit.now(), { ...person, isVerified: false })
  const user = { ...person, id: userId, personalOrganizationId: personalOrganization.id }
  if (visit.mail) await sendVerification(db, visit.now(), user, visit.mail)
  return welcome(db, visit, user)
}

/** Checks the input of a new person and hashes the password: what `createUser` needs, before any transaction. */
export async function prepareUser(passwords: Passwords, { email, name, password }: NewPerson) {
  const checked = { email: checkEmail('email', email), name: checkText('name', name) }
  return { ...checked, passwordHash: await passwords.hash(checkPassword('password', password)) }
}
