import type { ApiKeyTable, Db } from '../../db/tables.ts'
import { DAY } from '../../lib/clock.ts'
import { type AboutOrganization, emailsToAdmins, readableTime } from '../../mail/admin-emails.ts'
import { webLinks } from '../../mail/web-links.ts'
import type { LeakLocation } from './report.ts'

export const LEAK_USEFUL_MS = 30 * DAY
const LISTED_KEYS = 20
const LISTED_PLACES = 5

export type LeakedKey = Pick<ApiKeyTable, 'id' | 'label' | 'prefix' | 'lastUsedAt' | 'lastUsedIp'> & {
  places: readonly LeakLocation[]
  descendants: number
}

interface About {
  organizationId: string
  origin: string
  now: number
}

/** One email to each Admin of the organization, about all of its keys in one report. */
export const leakEmails = (db: Db, keys: readonly LeakedKey[], { organizationId, origin, now }: About) =>
  emailsToAdmins(db, organizationId, origin, (organization) => ({
    kind: 'KEY_LEAKED',
    subject: subjectOf(keys, organization.name),
    lines: textOf(keys, organization, { origin, now }),
    usefulUntil: now + LEAK_USEFUL_MS,
  }))

function subjectOf(keys: readonly LeakedKey[], organization: string): string {
  const [first] = keys
  if (first && keys.length === 1) return `Leaked API key ${first.label} of ${organization} was revoked`
  return `${keys.length} leaked API keys of ${organization} were revoked`
}

function textOf(
  keys: readonly LeakedKey[],
  { name, slug, keysPage }: AboutOrganization,
  { origin, now }: Pick<About, 'origin' | 'now'>,
): string[] {
  const others = keys.length - LISTED_KEYS
  const made = keys.reduce((sum, { descendants }) => sum + descendants, 0)
  return [
    keys.length === 1
      ? `The secret of an API key of ${name} was found where others can read it. The key was revoked at once.`
      : `The secrets of ${keys.length} API keys of ${name} were found where others can read them. The keys were revoked at once.`,
    '',
    ...keys
      .slice(0, LISTED_KEYS)
      .flatMap((key) => [...linesOf(key), `  what it changed: ${webLinks.apiKeyChanges(origin, slug, key.id)}`, '']),
    ...(others > 0 ? [`And ${others} more: ${webLinks.audit(origin, slug)}`, ''] : []),
    `Reported on ${readableTime(now)}.`,
    '',
    'What to do now:',
    '- Whatever used the key no longer has access: generate a new key for it.',
    '- Remove the secret from where it was found. Its history may still contain it, which does no harm: a revoked secret is never accepted again.',
    '- Look at what the key has changed, by the link above.',
    ...(made > 0 ? [`- Keys that it generated were not revoked. Look at them: ${keysPage}`] : []),
    '',
    keysPage,
  ]
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

export function placeText({ url, source }: LeakLocation): string {
  if (url === '') return source === '' ? 'no place was given' : source
  return source === '' ? url : `${url} (${source})`
}
