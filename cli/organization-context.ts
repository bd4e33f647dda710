import type { Ctx, SystemCaller } from '../server/caller/ctx.ts'
import { AppError } from '../server/lib/app-error.ts'
import { MINUTE } from '../server/lib/clock.ts'
import { PORTAL } from '../server/lib/command-name.ts'
import { firstIdAt, isId, timeOfId } from '../server/lib/id.ts'
import type { Organization } from '../server/organizations/organization.ts'
import type { Portal } from './portal.ts'

/** An organization, and a context to act in it as the operator (C9). */
export interface OrganizationContext {
  organization: Organization
  ctx: Ctx<SystemCaller>
}

/** The organization with this slug. */
export async function organizationBySlug(portal: Portal, slug: string): Promise<OrganizationContext> {
  const { read } = portal.database
  const organization = await read.selectFrom('organization').selectAll().where('slug', '=', slug).executeTakeFirst()
  if (organization) return contextOf(portal, organization)
  throw new AppError('NOT_FOUND', {
    message: `No organization in ${portal.database.location} has this slug: ${PORTAL} org list shows them.`,
  })
}

/** The organization with this id, which exists. */
export async function organizationById(portal: Portal, id: string): Promise<OrganizationContext> {
  const organization = portal.database.read.selectFrom('organization').selectAll().where('id', '=', id)
  return contextOf(portal, await organization.executeTakeFirstOrThrow())
}

/** Every organization and personal account. */
export async function allOrganizations(portal: Portal): Promise<OrganizationContext[]> {
  const organizations = await portal.database.read.selectFrom('organization').selectAll().orderBy('id').execute()
  return organizations.map((organization) => contextOf(portal, organization))
}

/** The organization of this key; with a slug, only if it has this slug. */
export async function organizationOfKey(
  portal: Portal,
  id: string,
  slug: string | undefined,
): Promise<OrganizationContext> {
  const owner = portal.database.read
    .selectFrom('apiKey')
    .innerJoin('organization', 'organization.id', 'apiKey.organizationId')
    .selectAll('organization')
    .where('apiKey.id', '=', id)
  const organization = await (slug === undefined ? owner : owner.where('slug', '=', slug)).executeTakeFirst()
  if (organization) return contextOf(portal, organization)
  throw new AppError('NOT_FOUND', { message: `There is no such key: ${PORTAL} key list --org SLUG shows them.` })
}

/** The organization of a key that may have been revoked: then it is found by the event of its generation. */
export async function organizationOfFormerKey(
  portal: Portal,
  id: string,
  slug: string | undefined,
): Promise<OrganizationContext> {
  if (slug !== undefined) return organizationBySlug(portal, slug)
  const made = isId(id) ? timeOfId(id) : 0
  const events = portal.database.read
    .selectFrom('auditEvent')
    .innerJoin('organization', 'organization.id', 'auditEvent.organizationId')
    .selectAll('organization')
    .where('auditEvent.id', '>=', firstIdAt(made - MINUTE)) // an event's id begins with its time, as a key's does
    .where('auditEvent.id', '<', firstIdAt(made + MINUTE))
    .where((eb) => eb.or([eb('subjectId', '=', id), eb('details', 'like', `key ${isId(id) ? id : '-'}%`)]))
  const organization = await events.executeTakeFirst()
  return organization ? contextOf(portal, organization) : organizationOfKey(portal, id, slug)
}

function contextOf({ database, now }: Portal, organization: Organization): OrganizationContext {
  const caller: SystemCaller = { kind: 'SYSTEM', organizationId: organization.id, role: 'ADMIN' }
  return { organization, ctx: { caller, reads: database.read, database, now } }
}

export const noSuchAccount = () =>
  new AppError('NOT_FOUND', { message: `No account has this email address: ${PORTAL} user create EMAIL creates one.` })
