import type { ApiKeyTable, Db } from '../db/tables.ts'
import type { Letter } from '../mail/mail.ts'

type Ending = Pick<ApiKeyTable, 'organizationId' | 'label' | 'start'> & { expiresAt: number }

interface Settings {
  /** Where the portal is. */
  origin: string
  usefulUntil(key: Ending): number
}

/** One letter to each Admin of an organization with all of its keys that have come near their end. */
export async function lettersOfEnds(db: Db, keys: readonly Ending[], settings: Settings): Promise<Letter[]> {
  if (keys.length === 0) return []
  const byOrganization = Map.groupBy(keys, ({ organizationId }) => organizationId)
  const admins = await adminsOf(db, [...byOrganization.keys()])
  return admins.map(({ organizationId, organization, slug, kind, email }) => {
    const ending = byOrganization.get(organizationId) ?? []
    const page = `${settings.origin}/${slug}/${kind === 'PERSONAL' ? 'profile' : 'users'}/api-keys`
    return {
      organizationId,
      kind: 'KEY_ENDS',
      recipient: email,
      subject: subjectOf(ending, organization),
      text: textOf(ending, organization, page),
      usefulUntil: Math.max(...ending.map(settings.usefulUntil)),
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

function subjectOf(keys: readonly Ending[], organization: string): string {
  const [first] = keys
  if (first && keys.length === 1)
    return `API key ${first.label} of ${organization} ends at ${momentOf(first.expiresAt)}`
  return `${keys.length} API keys of ${organization} end soon`
}

function textOf(keys: readonly Ending[], organization: string, page: string): string {
  return [
    `In ${organization}, these API keys are refused from the moment on at which they end:`,
    '',
    ...keys.map(({ label, start, expiresAt }) => `- ${label} (${start}…) ends at ${momentOf(expiresAt)}`),
    '',
    'If something still uses one of them, rotate it: a new key under the same label takes its place.',
    page,
    '',
    'You get this letter because you are an Admin.',
  ].join('\n')
}

const momentOf = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
