import type { Ctx, SystemCaller } from '../server/ctx.ts'
import { AppError } from '../server/lib/app-error.ts'
import { PORTAL } from '../server/lib/command-name.ts'
import type { Organization } from '../server/organizations/organization.ts'
import type { Portal } from './portal.ts'

/** An organization, and a context to act in it as the operator (C9). */
export interface Inside {
  organization: Organization
  ctx: Ctx<SystemCaller>
}

/** Into the organization with this slug. */
export async function enter(portal: Portal, slug: string): Promise<Inside> {
  const { read } = portal.database
  const organization = await read.selectFrom('organization').selectAll().where('slug', '=', slug).executeTakeFirst()
  if (organization) return inside(portal, organization)
  throw new AppError('NOT_FOUND', {
    message: `No organization in ${portal.database.place} has this slug: ${PORTAL} org list shows them.`,
  })
}

/** Into every organization and personal account, one by one. */
export async function enterAll(portal: Portal): Promise<Inside[]> {
  const organizations = await portal.database.read.selectFrom('organization').selectAll().orderBy('id').execute()
  return organizations.map((organization) => inside(portal, organization))
}

/** Into the organization that has this key; with a slug, only into that one. */
export async function enterByKey(portal: Portal, id: string, slug: string | undefined): Promise<Inside> {
  const owner = portal.database.read
    .selectFrom('apiKey')
    .innerJoin('organization', 'organization.id', 'apiKey.organizationId')
    .selectAll('organization')
    .where('apiKey.id', '=', id)
  const organization = await (slug === undefined ? owner : owner.where('slug', '=', slug)).executeTakeFirst()
  if (organization) return inside(portal, organization)
  throw new AppError('NOT_FOUND', { message: `There is no such key: ${PORTAL} key list --org SLUG shows them.` })
}

function inside({ database, now }: Portal, organization: Organization): Inside {
  const caller: SystemCaller = { kind: 'SYSTEM', organizationId: organization.id, role: 'ADMIN' }
  return { organization, ctx: { caller, db: database.read, database, now } }
}

export const nobodyWithAddress = () =>
  new AppError('NOT_FOUND', { message: `Nobody has this e-mail address: ${PORTAL} user create EMAIL makes a person.` })
