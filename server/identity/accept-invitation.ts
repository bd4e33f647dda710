import { insertEvent } from '../audit/audit-event.ts'
import { requireSession, type UserCaller } from '../ctx.ts'
import type { Db } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { badInput } from '../lib/check.ts'
import { lockOrganization, organizationById } from '../organizations/organization.ts'
import { addMember, userByEmail } from '../users/create-user.ts'
import { findInvitation, type Invitation, takeInvitation } from '../users/invitation.ts'
import type { AuthRequest } from './auth-request.ts'
import { mayStillInvite } from './inviter.ts'
import { findByPassword, requireUnchanged, type SignedIn, welcome } from './sign-in.ts'
import { arrive, prepareUser } from './sign-up.ts'

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
type Arrival = (db: Db, invitation: Invitation) => Promise<Pick<Accepted, 'token' | 'user'>>

/** What a link shows before it is accepted. */
export async function viewInvitation({ database, now }: AuthRequest, token: string) {
  const invitation = await findGood(database.read, token, now(), { lock: false })
  const { organizationId, email, name, role } = invitation
  const { slug, name: organizationName } = await organizationById(database.read, organizationId)
  const hasAccount = (await userByEmail(database.read, email)) !== undefined
  return { organization: { slug, name: organizationName }, email, name, role, hasAccount }
}

/** The invited person joins, with their existing account or with a new one whose id is the invitation's. */
export async function acceptInvitation(visit: AuthRequest, input: Acceptance): Promise<Accepted> {
  const invitation = await findGood(visit.database.read, input.token, visit.now(), { lock: false })
  const account = await userByEmail(visit.database.read, invitation.email)
  const arrive = account
    ? await arriveWithAccount(visit, input, account.id, invitation)
    : await arriveNew(visit, input, invitation)
  return visit.database.transaction(async (db) => {
    await lockOrganization(db, invitation.organizationId) // a concurrent invitation or removal comes before or after
    const taken = await findGood(db, input.token, visit.now(), { lock: true })
    if (!(await takeInvitation(db, input.token))) throw deadLink()
    const arrived = await arrive(db, taken)
    return { ...arrived, organization: await join(db, visit.now(), taken, arrived.user) }
  })
}

/** The inviter is locked before the invitation: a revoke deletes both in this order. */
async function findGood(db: Db, token: string, now: number, how: { lock: boolean }): Promise<Invitation> {
  const invitation = await findInvitation(db, token, now)
  if (!invitation || !(await mayStillInvite(db, invitation, now, how))) throw deadLink()
  return invitation
}

async function arriveNew(visit: AuthRequest, input: Acceptance, { email, name }: Invitation): Promise<Arrival> {
  if (input.password === undefined) throw badInput('password', 'password: choose one for the new account.')
  const person = await prepareUser(visit.passwords, {
    email,
    name: input.name ?? name,
    password: input.password,
  })
  return (db, { id }) => arrive(db, visit, { ...person, id })
}

async function arriveWithAccount(
  visit: AuthRequest,
  { caller, password }: Acceptance,
  userId: string,
  { email }: Invitation,
): Promise<Arrival> {
  if (caller?.userId === userId) {
    return async (db) => {
      await requireSession(db, caller.sessionId, visit.now())
      return { user: { id: userId, name: caller.name, email } }
    }
  }
  const user = password === undefined ? undefined : await findByPassword(visit, email, password)
  if (!user)
    throw new AppError('UNAUTHENTICATED', { message: 'Sign in as the invited person, or give their password.' })
  return async (db) => {
    await requireUnchanged(db, user)
    return welcome(db, visit, user)
  }
}

async function join(db: Db, now: number, invitation: Invitation, { id, name }: SignedIn['user']) {
  const { organizationId, role, invitedByUserId, invitedByKeyId } = invitation
  await addMember(db, now, { organizationId, userId: id, role, invitedByUserId, invitedByKeyId })
  const actor = { kind: 'USER', id, name } as const
  await insertEvent(db, now, { action: 'user.joined', subject: name, details: `as ${role}`, actor, organizationId })
  const { slug, name: organizationName } = await organizationById(db, organizationId)
  return { slug, name: organizationName }
}

const deadLink = () =>
  new AppError('NOT_FOUND', {
    message: 'This invitation has been used, has expired, was withdrawn or never was. Ask for a new one.',
  })
