import type { AuditEvent } from '../../api/audit.ts'
import type { KeyAccess } from '../../api/key-restrictions.ts'
import { ACCESSES } from '../../components/key-access.ts'

const ID = '[0-9a-z]{26}'
const IDS = new RegExp(`\\bkeys ${ID}(?:, ${ID})*`, 'g')
const ONLY_IDS = new RegExp(`^(?:keys?|device) ${ID}(?:, ${ID})*$`)
const BY_AN_ID = new RegExp(`\\b(?:made|created) by ${ID}`)

/** The details for people: without the ids, which are in the exported file. */
export function detailsOf({ action, details }: Pick<AuditEvent, 'action' | 'details'>): string | null {
  const parts = (details ?? '').split('; ').filter((part) => part !== '' && !ONLY_IDS.test(part))
  return parts.map(wordsFor(action)).filter(Boolean).join('; ') || null
}

function wordsFor(action: string): (part: string) => string {
  if (action.startsWith('USER_')) return withRoles
  if (action === 'API_KEY_ROTATED') return ofRotation
  if (action === 'API_KEY_EXPIRY_NOTIFIED' || action === 'API_KEY_REMOVED') return withDates
  if (action === 'API_KEYS_REVOKED') return (part) => part.replace(BY_AN_ID, 'created by one person')
  return action === 'API_KEYS_POLICY_CHANGED' ? ofPolicy : withAccess
}

const withRoles = (part: string) => part.replace(/\bADMIN\b/g, 'Admin').replace(/\bMEMBER\b/g, 'Member')

const withAccess = (part: string) =>
  part.replace(/^access ([A-Z_]+)$/, (all, access) =>
    access in ACCESSES ? `access: ${ACCESSES[access as KeyAccess].name}` : all,
  )

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

const withDates = (part: string) =>
  part.replace(/^end(s|ed)\b/, 'expire$1').replace(/\d{4}-[\d:.T-]+Z/g, (at) => moment.format(new Date(at)))

/** "overlap 86400 s" is "the old secret works for 24 hours"; which id replaces which is in the exported file. */
function ofRotation(part: string): string {
  const seconds = Number(/^overlap (\d+) s$/.exec(part)?.[1])
  if (Number.isNaN(seconds)) return ''
  return seconds === 0 ? 'the old secret is refused at once' : `the old secret works for ${timeInWords(seconds)}`
}

function timeInWords(seconds: number): string {
  if (seconds % 3600 === 0) return seconds === 3600 ? '1 hour' : `${seconds / 3600} hours`
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`
}

/** The rules, by the names that the API has for them. */
const RULES: Readonly<Record<string, string>> = {
  maxKeys: 'maximum number of keys',
  maxLifetimeDays: 'maximum lifetime in days',
  expiryRequired: 'expiration required',
  labelRequired: 'label required',
  allowedNetworks: 'allowed networks',
  allowKeyManagement: 'keys may manage keys',
  rejectBrowsers: 'browsers rejected',
}

function ofPolicy(part: string): string {
  const [, field = '', values = ''] = /^(\w+): (.*)$/s.exec(part) ?? []
  const rule = RULES[field]
  if (rule) return `${rule}: ${values}`
  return part
    .replace(/^([A-Z_]+) applied/, (_all, name: string) => `${name.toLowerCase().replaceAll('_', ' ')} applied`)
    .replace(IDS, (ids) => howMany(ids.split(', ').length))
}

const howMany = (keys: number) => (keys === 1 ? '1 key' : `${keys} keys`)

export type FieldChange = NonNullable<AuditEvent['changes']>[number]

/** A value as text: a text as it is, anything else as JSON, nothing for none. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
