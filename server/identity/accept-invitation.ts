import { insertEvent } from '../audit/audit-event.ts'
import { requireSession, type UserCaller } from '../caller/ctx.ts'
import type { Db } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { AppError } from '../lib/app-error.ts'
import { badInput } from '../lib/check.ts'
import { lockOrganization, organizationById } from '../organizations/organization.ts'
import { addMember, joinedAs, userByEmail } from '../users/create-user.ts'
import { findInvitation, type Invitation, takeInvitation } from '../users/invitation.ts'
import type { AuthRequest } from './auth-request.ts'
import { granterOf, mayStillInvite } from './inviter.ts'
import { findByPassword, requireUnchanged, type SignedIn, signInAs } from './sign-in.ts'
import { createAccount, prepareUser } from './sign-up.ts'

interface Acceptance {
  token: string
  name?: string | undefined
  password?: string | undefined
  /** The person who is signed in while following the link. */
  caller?: UserCaller | undefined
}

/** Who joined which organization; without a token the existing session continues. */
type Accepted = Omit<SignedIn, 'token'> & { token?: string }

/** The last step for a person whose identity is known; it runs in the transaction that uses up the link. */
type SignIn = (db: Transaction, invitation: Invitation) => Promise<Pick<Accepted, 'token' | 'user'>>

/** What a link shows before it is accepted. */
export async function viewInvitation({ database, now }: AuthRequest, token: string) {
  const invitation = await findValidInvitation(database.read, token, now(), { lock: false })
  const { organizationId, email, name, role } = invitation
  const { slug, name: organizationName } = await organizationById(database.read, organizationId)
  const hasAccount = (await userByEmail(database.read, email)) !== undefined
  return { organization: { slug, name: organizationName }, email, name, role, hasAccount }
}

/** The invited person joins, with their existing account or with a new one whose id is the invitation's. */
export async function acceptInvitation(request: AuthRequest, input: Acceptance): Promise<Accepted> {
  const invitation = await findValidInvitation(request.database.read, input.token, request.now(), { lock: false })
  const account = await userByEmail(request.database.read, invitation.email)
  const signIn = account
    ? await withAccount(request, input, account.id, invitation)
    : await withNewAccount(request, input, invitation)
  return request.database.transaction(async (db) => {
    await lockOrganization(db, invitation.organizationId) // a concurrent invitation or removal comes before or after
    const taken = await findValidInvitation(db, input.token, request.now(), { lock: true })
    if (!(await takeInvitation(db, input.token))) throw invalidLink()
    const signedIn = await signIn(db, taken)
    return { ...signedIn, organization: await join(db, request, taken, signedIn.user) }
  })
}

/** The inviter is locked before the invitation: a revoke deletes both in this order. */
async function findValidInvitation(db: Db, token: string, now: number, how: { lock: boolean }): Promise<Invitation> {
  const invitation = await findInvitation(db, token, now)
  if (!invitation || !(await mayStillInvite(db, invitation, now, how))) throw invalidLink()
  return invitation
}

async function withNewAccount(request: AuthRequest, input: Acceptance, { email, name }: Invitation): Promise<SignIn> {
  if (input.password === undefined) throw badInput('password', 'password: choose one for the new account.')
  const person = await prepareUser(request.passwords, { email, name: input.name ?? name, password: input.password })
  return (db, { id }) => createAccount(db, request, { ...person, id })
}

async function withAccount(
  request: AuthRequest,
  { caller, password }: Acceptance,
  userId: string,
  { email }: Invitation,
): Promise<SignIn> {
  if (caller?.userId === userId) {
    return async (db) => {
      await requireSession(db, caller.sessionId, request.now())
      return { user: { id: userId, name: caller.name, email } }
    }
  }
  const user = password === undefined ? undefined : await findByPassword(request, email, password)
  if (!user)
    throw new AppError('UNAUTHENTICATED', { message: 'Sign in as the invited person, or give their password.' })
  return async (db) => {
    await requireUnchanged(db, user)
    return signInAs(db, request, user)
  }
}

async function join(db: Transaction, request: AuthRequest, invitation: Invitation, { id, name }: SignedIn['user']) {
  const now = request.now()
  const { organizationId, role } = invitation
  await addMember(db, now, { organizationId, userId: id, role, ...granterOf(invitation) })
  const actor = { kind: 'USER', id, name } as const
  await insertEvent(db, now, {
    action: 'user.joined',
    subject: name,
    ...joinedAs(id, role),
    actor,
    organizationId,
    ip: request.address,
  })
  const { slug, name: organizationName } = await organizationById(db, organizationId)
  return { slug, name: organizationName }
}

const invalidLink = () =>
  new AppError('NOT_FOUND', {
    message: 'This invitation has been used, has expired, was withdrawn or never existed. Ask for a new one.',
  })
