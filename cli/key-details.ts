import type { RecentUsage, UsageCount } from '../server/api-keys/usage/read-usage.ts'
import type { KeySource } from './key-source/key-source.ts'
import type { ShownKey } from './key-source/shown-key.ts'
import { rulesDetailsOf } from './own-rules.ts'
import { readableTime } from './time.ts'

const MAX_LISTED = 5

/** The details of a key, by name: who created it, who uses it and what depends on it. */
export async function detailsOf(keys: KeySource, apiKey: ShownKey) {
  const { organization } = keys
  const [use, descendants] = await Promise.all([keys.recentUsage(apiKey.id), keys.descendants(apiKey.id)])
  return {
    use,
    descendants,
    details: {
      label: apiKey.label,
      id: apiKey.id,
      prefix: apiKey.prefix,
      organization: `${organization.name} (${organization.slug})`,
      created: `${readableTime(apiKey.createdAt)} by ${apiKey.createdBy.name}`,
      ...rulesDetailsOf(apiKey),
      expires: `${readableTime(apiKey.expiresAt)}${apiKey.expired ? ' (expired)' : ''}`,
      'last used': lastUse(apiKey),
      'last 24 hours': usage(use),
    },
  }
}

function lastUse({ lastUsedAt, lastUsedIp, lastUsedUserAgent, lastUsedOperation }: ShownKey): string {
  const words = [
    readableTime(lastUsedAt),
    ...(lastUsedIp === null ? [] : [`from ${lastUsedIp}`]),
    ...(lastUsedUserAgent ? [`by ${lastUsedUserAgent}`] : []),
    ...(lastUsedOperation ? [`for ${lastUsedOperation}`] : []),
  ]
  return words.join(' ')
}

function usage({ calls, errors, addresses, otherAddressCalls }: RecentUsage): string {
  const refused = errors === 0 ? '' : `, ${errors} refused`
  const from = addresses.length === 0 ? '' : ` from ${counted(addresses, otherAddressCalls)}`
  return `${calls === 0 ? 'no' : calls} ${calls === 1 ? 'call' : 'calls'}${refused}${from}`
}

/** `10.0.0.1 (152), 10.0.0.2 (3), others (20)`, the most frequent first. */
export function counted(counts: UsageCount[], otherCalls: number): string {
  const listed = counts.slice(0, MAX_LISTED).map(({ value, calls }) => `${value ?? '(none)'} (${calls})`)
  const more = counts.length - listed.length
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}${otherCalls > 0 ? `, others (${otherCalls})` : ''}`
}
