import type { ApiKeyTable, Db } from '../../db/tables.ts'
import type { NewEmail } from '../../mail/mail.ts'

type ExpiringKey = Pick<ApiKeyTable, 'organizationId' | 'label' | 'prefix'> & { expiresAt: number }

interface Settings {
  /** The public URL of the portal. */
  origin: string
  usefulUntil(key: ExpiringKey): number
}

/** One email to each Admin of an organization, about all of its keys that expire soon. */
export async function expiryEmails(db: Db, keys: readonly ExpiringKey[], settings: Settings): Promise<NewEmail[]> {
  if (keys.length === 0) return []
  const byOrganization = Map.groupBy(keys, ({ organizationId }) => organizationId)
  const admins = await adminsOf(db, [...byOrganization.keys()])
  return admins.map(({ organizationId, organization, slug, kind, email }) => {
    const expiring = byOrganization.get(organizationId) ?? []
    const page = `${settings.origin}/${slug}/${kind === 'PERSONAL' ? 'profile' : 'users'}/api-keys`
    return {
      organizationId,
      kind: 'KEY_EXPIRY',
      recipient: email,
      subject: subjectOf(expiring, organization),
      text: textOf(expiring, organization, page),
      usefulUntil: Math.max(...expiring.map(settings.usefulUntil)),
    }
  })
}

const adminsOf = (db: Db, organizationIds: string[]) =>
  db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .innerJoin('organization', 'organization.id', 'membership.organizationId')
    .select(['organizationId', 'organization.name as organization', 'slug', 'kind', 'email'])
    .where('organizationId', 'in', organizationIds)
    .where('role', '=', 'ADMIN')
    .execute()

function subjectOf(keys: readonly ExpiringKey[], organization: string): string {
  const [first] = keys
  if (first && keys.length === 1)
    return `API key ${first.label} of ${organization} expires on ${readableTime(first.expiresAt)}`
  return `${keys.length} API keys of ${organization} expire soon`
}

function textOf(keys: readonly ExpiringKey[], organization: string, page: string): string {
  return [
    `These API keys of ${organization} expire soon. From then on they are refused:`,
    '',
    ...keys.map(({ label, prefix, expiresAt }) => `- ${label} (${prefix}…) expires on ${readableTime(expiresAt)}`),
    '',
    'If something still uses one of them, rotate it: a new key with the same label replaces it.',
    page,
    '',
    'You receive this email because you are an Admin.',
  ].join('\n')
}

const readableTime = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
