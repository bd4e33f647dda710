import { onOneLine } from '../server/lib/plain-text.ts'
import type { ShownKey } from './key-source/shown-key.ts'
import { rulesDetailsOf } from './own-rules.ts'
import { cut, table } from './table.ts'
import { shortLength } from './time.ts'

const WIDTH = 120
const HEADINGS = ['id', 'label', 'prefix', 'access', 'created by', 'last used', 'from', 'expires']

/** A key as JSON. */
export const documentOf = (apiKey: ShownKey) => ({
  ...apiKey,
  replaces: apiKey.replaces?.id ?? null,
  replacedBy: apiKey.replacedBy?.id ?? null,
})

/** A table of keys that fits into 120 columns; below a key that is paused or restricted, how. */
export function tableOf(keys: ShownKey[], now: number): string {
  const [headings = '', ...rows] = table(
    HEADINGS,
    keys.map((apiKey) => cellsOf(apiKey, now)),
  ).split('\n')
  const below = keys.map(restrictionsOf)
  const lines = rows.flatMap((row, index) => [row, ...(below[index] ? [cut(`  ${below[index]}`, WIDTH)] : [])])
  return [headings, ...lines].join('\n')
}

function restrictionsOf(apiKey: ShownKey): string {
  const { access: _inTheTable, paused, ...others } = rulesDetailsOf(apiKey)
  const all = { ...(paused && { paused }), ...others }
  return onOneLine(
    Object.entries(all)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
  )
}

const cellsOf = (apiKey: ShownKey, now: number) => [
  apiKey.id,
  cut(apiKey.label, 15),
  apiKey.prefix,
  apiKey.access,
  cut(apiKey.createdBy.name, 10),
  apiKey.lastUsedAt === null ? 'never' : `${shortLength(now - Date.parse(apiKey.lastUsedAt))} ago`,
  cut(apiKey.lastUsedIp ?? '-', 15),
  expiryOf(apiKey, now),
]

function expiryOf({ expiresAt, expired, replacedBy }: ShownKey, now: number): string {
  if (expiresAt === null) return 'never'
  if (expired) return 'expired'
  const left = shortLength(Date.parse(expiresAt) - now)
  return replacedBy === null ? `in ${left}` : `${left}, replaced`
}
