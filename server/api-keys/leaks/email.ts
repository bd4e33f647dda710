import type { ApiKeyTable, Db } from '../../db/tables.ts'
import { DAY } from '../../lib/clock.ts'
import type { NewEmail } from '../../mail/mail.ts'
import type { LeakLocation } from './report.ts'

const USEFUL_FOR_MS = 30 * DAY
const LISTED_KEYS = 20
const LISTED_PLACES = 5

/** A key that was revoked since its secret was found. */
export type LeakedKey = Pick<ApiKeyTable, 'id' | 'label' | 'prefix' | 'lastUsedAt' | 'lastUsedIp'> & {
  places: readonly LeakLocation[]
  /** How many keys that descend from it exist. */
  descendants: number
}

interface Admins {
  organizationId: string
  /** Where links lead. */
  origin: string
  now: number
}

/** One email to each Admin of the organization, about all of its keys in one report. */
export async function leakEmails(db: Db, keys: readonly LeakedKey[], admins: Admins): Promise<NewEmail[]> {
  return emailsToAdmins(db, admins, 'KEY_LEAKED', ({ name, page, audit }) => ({
    subject: subjectOf(keys, name),
    text: textOf(keys, { name, page, audit, now: admins.now }),
  }))
}

interface About {
  name: string
  /** The page of its keys. */
  page: string
  audit: string
}

/** The same email to each Admin of an organization. */
export async function emailsToAdmins(
  db: Db,
  { organizationId, origin, now }: Admins,
  kind: NewEmail['kind'],
  write: (about: About) => Pick<NewEmail, 'subject' | 'text'>,
): Promise<NewEmail[]> {
  const admins = await db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .innerJoin('organization', 'organization.id', 'membership.organizationId')
    .select(['organization.name', 'slug', 'kind', 'email'])
    .where('organizationId', '=', organizationId)
    .where('role', '=', 'ADMIN')
    .orderBy('email')
    .execute()
  return admins.map(({ name, slug, kind: sort, email }) => {
    const page = `${origin}/${slug}/${sort === 'PERSONAL' ? 'profile' : 'users'}/api-keys`
    const written = write({ name, page, audit: `${origin}/${slug}/audit` })
    return { organizationId, kind, recipient: email, ...written, usefulUntil: now + USEFUL_FOR_MS }
  })
}

function subjectOf(keys: readonly LeakedKey[], organization: string): string {
  const [first] = keys
  if (first && keys.length === 1) return `Leaked API key ${first.label} of ${organization} was revoked`
  return `${keys.length} leaked API keys of ${organization} were revoked`
}

function textOf(keys: readonly LeakedKey[], { name, page, audit, now }: About & { now: number }): string {
  const others = keys.length - LISTED_KEYS
  const made = keys.reduce((sum, { descendants }) => sum + descendants, 0)
  return [
    keys.length === 1
      ? `The secret of an API key of ${name} was found where others can read it. The key was revoked at once.`
      : `The secrets of ${keys.length} API keys of ${name} were found where others can read them. The keys were revoked at once.`,
    '',
    ...keys.slice(0, LISTED_KEYS).flatMap((key) => [...linesOf(key), '']),
    ...(others > 0 ? [`And ${others} more: see the audit log.`, ''] : []),
    `Reported on ${readableTime(now)}.`,
    '',
    'What to do now:',
    '- Whatever used the key no longer has access: generate a new key for it.',
    '- Remove the secret from where it was found. Its history may still contain it, which does no harm: a revoked secret is never accepted again.',
    `- Look at what the key did before, in the audit log: ${audit}`,
    ...(made > 0 ? [`- Keys that it generated were not revoked. Look at them: ${page}`] : []),
    '',
    page,
    '',
    'You receive this email because you are an Admin.',
  ].join('\n')
}

function linesOf({ id, label, prefix, lastUsedAt, lastUsedIp, places, descendants }: LeakedKey): string[] {
  const others = places.length - LISTED_PLACES
  return [
    `${label} (${prefix}…)`,
    `  id: ${id}`,
    ...places.slice(0, LISTED_PLACES).map((place) => `  found: ${placeText(place)}`),
    ...(others > 0 ? [`  found in ${others} more places`] : []),
    `  last used: ${lastUsedAt === null ? 'never' : `${readableTime(lastUsedAt)} from ${lastUsedIp ?? 'an unknown address'}`}`,
    ...(descendants > 0 ? [`  keys that it generated, still there: ${descendants}`] : []),
  ]
}

/** Where a secret was found, in one line. */
export function placeText({ url, source }: LeakLocation): string {
  if (url === '') return source === '' ? 'no place was given' : source
  return source === '' ? url : `${url} (${source})`
}

export const readableTime = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
