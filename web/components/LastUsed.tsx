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
export const UseDetails = ({ apiKey }: { apiKey: Used }) => (
  <>
    <Time at={apiKey.lastUsedAt} /> <UseSource apiKey={apiKey} />
  </>
)

/** From where, by which program and for what: "from 192.0.2.7 by curl for Devices" */
export const UseSource = ({ apiKey: { lastUsedIp, lastUsedUserAgent, lastUsedOperation } }: { apiKey: Used }) => (
  <>
    {lastUsedIp && `from ${lastUsedIp}`}
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
