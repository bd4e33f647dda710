import type { Db } from '../db/tables.ts'
import type { NewEmail } from './mail.ts'
import { webLinks } from './web-links.ts'

export const WHY_ADMIN = 'You receive this email because you are an Admin.'

export interface AboutOrganization {
  id: string
  name: string
  slug: string
  keysPage: string
}

type Written = Pick<NewEmail, 'kind' | 'subject' | 'usefulUntil'> & { lines: readonly string[] }

/** One email to each Admin of an organization. */
export async function emailsToAdmins(
  db: Db,
  organizationId: string,
  origin: string,
  write: (organization: AboutOrganization) => Written,
): Promise<NewEmail[]> {
  const admins = await db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .innerJoin('organization', 'organization.id', 'membership.organizationId')
    .select(['organization.id', 'organization.name', 'slug', 'kind', 'email'])
    .where('organizationId', '=', organizationId)
    .where('role', '=', 'ADMIN')
    .orderBy('email')
    .execute()
  const [first] = admins
  if (!first) return []
  const { lines, ...written } = write({ ...first, keysPage: webLinks.apiKeys(origin, first) })
  const email = { ...written, organizationId, text: [...lines, '', WHY_ADMIN].join('\n') }
  return admins.map(({ email: recipient }) => ({ ...email, recipient }))
}

export const readableTime = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
