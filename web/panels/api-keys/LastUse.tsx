import type { ListedKey } from '../../api/api-keys.ts'
import { Time } from '../../ui/Time.tsx'

/** When a key was last used, and from where. */
export function LastUse({ apiKey: { lastUsedAt, lastUsedFrom } }: { apiKey: ListedKey }) {
  if (!lastUsedAt) return <span>Never used</span>
  return (
    <span>
      Last used <Time at={lastUsedAt} />
      {lastUsedFrom && ` from ${lastUsedFrom}`}
    </span>
  )
}
