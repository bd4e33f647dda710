import { about, insertEvent } from '../audit/audit-event.ts'
import { createdWith } from '../audit/changed-fields.ts'
import type { Actor } from '../caller/ctx.ts'
import { isUniqueViolation } from '../db/errors.ts'
import type { Db, InvitedBy, MembershipTable, Role, UserTable } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import { insertOrganization, type Organization, organizationCreated } from '../organizations/organization.ts'

interface NewUser {
  id?: string
  email: string
  name: string
  passwordHash: string
  isVerified: boolean
  /** Who creates the person; undefined: they sign up themselves. */
  actor?: Actor | undefined
  /** The address of who creates the person; undefined: the command line. */
  ip?: string | undefined
}

/** Creates a person with a personal account; the caller has checked address and name. */
export async function createUser(
  db: Transaction,
  now: number,
  { id = newId(now), email, name, passwordHash, isVerified, actor = { kind: 'USER', id, name }, ip }: NewUser,
): Promise<{ userId: string; personalOrganization: Organization }> {
  const personalOrganization = await insertOrganization(db, now, { kind: 'PERSONAL', name })
  const personalOrganizationId = personalOrganization.id
  const emailVerifiedAt = isVerified ? now : null
  await insertUser(db, {
    id,
    email,
    name,
    passwordHash,
    support: 0,
    personalOrganizationId,
    emailVerifiedAt,
    createdAt: now,
  })
  await addMember(db, now, { organizationId: personalOrganizationId, userId: id, role: 'ADMIN' })
  await insertEvent(db, now, {
    action: 'organization.created',
    ...organizationCreated(personalOrganization),
    details: 'personal account',
    actor,
    organizationId: personalOrganizationId,
    ip,
  })
  return { userId: id, personalOrganization }
}

export const joinedAs = (userId: string, role: Role) =>
  ({ subjectType: 'USER', subjectId: userId, details: `as ${role}`, changes: createdWith({ role }) }) as const

/** What a person does by themselves, in the audit log of their personal account. */
export const byPerson = ({ id, name, personalOrganizationId }: PersonalAccount, ip: string) =>
  ({
    ...about('USER', id, name),
    actor: { kind: 'USER', id, name },
    organizationId: personalOrganizationId,
    ip,
  }) as const

type PersonalAccount = Pick<UserTable, 'id' | 'name' | 'personalOrganizationId'>

async function insertUser(db: Db, user: UserTable): Promise<void> {
  try {
    await db.insertInto('user').values(user).execute()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new AppError('CONFLICT', { field: 'email', message: 'There is an account with this email address: sign in.' })
  }
}

type NewMember = Omit<MembershipTable, 'createdAt' | keyof InvitedBy> & Partial<InvitedBy>

/** Adds a person to an organization; a member keeps their role. */
export async function addMember(
  db: Db,
  now: number,
  { organizationId, userId, role, invitedByUserId = null, invitedByKeyId = null }: NewMember,
): Promise<void> {
  await db
    .insertInto('membership')
    .values({ organizationId, userId, role, createdAt: now, invitedByUserId, invitedByKeyId })
    .onConflict((conflict) => conflict.columns(['organizationId', 'userId']).doNothing())
    .execute()
}

/** The account with this address, if there is one; the address is normalized by `checkEmail`. */
export function userByEmail(db: Db, email: string) {
  return db
    .selectFrom('user')
    .select(['id', 'name', 'email', 'passwordHash', 'personalOrganizationId'])
    .where('email', '=', email)
    .executeTakeFirst()
}
