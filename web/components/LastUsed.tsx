import type { ListedKey } from '../api/api-keys.ts'
import { browserName } from '../ui/browser-name.ts'
import { Time } from '../ui/Time.tsx'

export type Used = Pick<ListedKey, 'lastUsedAt' | 'lastUsedIp' | 'lastUsedUserAgent' | 'lastUsedOperation'>

/** When a key was last used, from where, by which program and for what. */
export function LastUsed({ apiKey }: { apiKey: Used }) {
  if (!apiKey.lastUsedAt) return <span>Never used</span>
  return (
    <span>
      Last used <UseDetails apiKey={apiKey} />
    </span>
  )
}

/** When, from where and by what a key was last used, without the first words. */
export function UseDetails({
  apiKey: { lastUsedAt, lastUsedIp, lastUsedUserAgent, lastUsedOperation },
}: {
  apiKey: Used
}) {
  return (
    <>
      <Time at={lastUsedAt} />
      {lastUsedIp && ` from ${lastUsedIp}`}
      {lastUsedUserAgent && (
        <>
          {' '}
          by <span title={lastUsedUserAgent}>{browserName(lastUsedUserAgent)}</span>
        </>
      )}
      {lastUsedOperation && (
        <>
          {' '}
          for <span className="mono">{lastUsedOperation}</span>
        </>
      )}
    </>
  )
}
