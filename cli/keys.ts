import type { ApiKey } from '../server/api-keys/api-key.ts'
import { keyRules } from '../server/caller/key-rules.ts'
import { onOneLine } from '../server/lib/plain-text.ts'
import { rulesDetailsOf, rulesDocumentOf } from './own-rules.ts'
import { cut, table } from './table.ts'
import { isoTime, shortLength } from './time.ts'

const WIDTH = 120
const HEADINGS = ['id', 'label', 'prefix', 'access', 'created by', 'last used', 'from', 'expires']

/** A key as JSON. */
export const documentOf = (apiKey: ApiKey, now: number) => ({
  id: apiKey.id,
  label: apiKey.label,
  prefix: apiKey.prefix,
  createdAt: isoTime(apiKey.createdAt),
  createdBy: { kind: apiKey.createdByKind, id: apiKey.createdById, name: apiKey.createdByName },
  lastUsedAt: isoTime(apiKey.lastUsedAt),
  lastUsedIp: apiKey.lastUsedIp,
  lastUsedUserAgent: apiKey.lastUsedUserAgent,
  lastUsedOperation: apiKey.lastUsedOperation,
  expiresAt: isoTime(apiKey.expiresAt),
  expired: hasExpired(apiKey, now),
  replaces: apiKey.replacesId,
  replacedBy: apiKey.replacedById,
  ...rulesDocumentOf(apiKey, now),
})

/** A table of keys that fits into 120 columns; below a key that is paused or restricted, how. */
export function tableOf(keys: ApiKey[], now: number): string {
  const [headings = '', ...rows] = table(
    HEADINGS,
    keys.map((apiKey) => cellsOf(apiKey, now)),
  ).split('\n')
  const below = keys.map((apiKey) => restrictionsOf(apiKey, now))
  const lines = rows.flatMap((row, index) => [row, ...(below[index] ? [cut(`  ${below[index]}`, WIDTH)] : [])])
  return [headings, ...lines].join('\n')
}

function restrictionsOf(apiKey: ApiKey, now: number): string {
  const { access: _inTheTable, paused, ...others } = rulesDetailsOf(apiKey, now)
  const all = { ...(paused && { paused }), ...others }
  return onOneLine(
    Object.entries(all)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
  )
}

export const hasExpired = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: number) =>
  expiresAt !== null && expiresAt <= now

const cellsOf = (apiKey: ApiKey, now: number) => [
  apiKey.id,
  cut(apiKey.label, 15),
  apiKey.prefix,
  keyRules(apiKey.rules).access,
  cut(apiKey.createdByName, 10),
  apiKey.lastUsedAt === null ? 'never' : `${shortLength(now - apiKey.lastUsedAt)} ago`,
  cut(apiKey.lastUsedIp ?? '-', 15),
  expiryOf(apiKey, now),
]

function expiryOf(apiKey: ApiKey, now: number): string {
  if (apiKey.expiresAt === null) return 'never'
  if (hasExpired(apiKey, now)) return 'expired'
  const left = shortLength(apiKey.expiresAt - now)
  return apiKey.replacedById === null ? `in ${left}` : `${left}, replaced`
}
