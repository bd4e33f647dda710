import type { ApiKey } from '../server/api-keys/api-key.ts'
import { type RecentUse, recentUse, type UseCount } from '../server/api-keys/usage-read.ts'
import type { Inside } from './inside.ts'
import { hasEnded } from './keys.ts'
import { allDescendants } from './lineage-tree.ts'
import { readableTime } from './time.ts'

const MOST_NAMED = 5

/** What people want to know of a key, by name: who has it, who uses it and what hangs on it. */
export async function factsOf({ ctx, organization }: Inside, apiKey: ApiKey) {
  const [use, descendants] = await Promise.all([recentUse(ctx, apiKey.id), allDescendants(ctx, apiKey.id)])
  return {
    use,
    descendants,
    facts: {
      label: apiKey.label,
      id: apiKey.id,
      'begins with': apiKey.start,
      organization: `${organization.name} (${organization.slug})`,
      created: `${readableTime(apiKey.createdAt)} by ${apiKey.createdByName}`,
      ends: `${readableTime(apiKey.expiresAt)}${hasEnded(apiKey, ctx.now()) ? ' (ended)' : ''}`,
      'last used': lastUse(apiKey),
      'last 24 hours': usage(use),
    },
  }
}

function lastUse({ lastUsedAt, lastUsedFrom, lastUsedAgent, lastUsedFor }: ApiKey): string {
  const words = [
    readableTime(lastUsedAt),
    ...(lastUsedFrom === null ? [] : [`from ${lastUsedFrom}`]),
    ...(lastUsedAgent ? [`by ${lastUsedAgent}`] : []),
    ...(lastUsedFor ? [`for ${lastUsedFor}`] : []),
  ]
  return words.join(' ')
}

function usage({ calls, errors, addresses }: RecentUse): string {
  const refused = errors === 0 ? '' : `, ${errors} refused`
  const from = addresses.length === 0 ? '' : ` from ${counted(addresses)}`
  return `${calls === 0 ? 'no' : calls} ${calls === 1 ? 'call' : 'calls'}${refused}${from}`
}

/** `10.0.0.1 (152), 10.0.0.2 (3)`, the most frequent first. */
export function counted(counts: UseCount[]): string {
  const named = counts.slice(0, MOST_NAMED).map(({ name, calls }) => `${name || '(none)'} (${calls})`)
  const others = counts.length - named.length
  return `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
