import type { ListedKey } from '../../api/api-keys.ts'
import { browserName } from '../../ui/browser-name.ts'
import { Time } from '../../ui/Time.tsx'

export type Used = Pick<ListedKey, 'lastUsedAt' | 'lastUsedFrom' | 'lastUsedAgent' | 'lastUsedFor'>

/** When a key was last used, from where, by which program and for what. */
export function LastUse({ apiKey }: { apiKey: Used }) {
  if (!apiKey.lastUsedAt) return <span>Never used</span>
  return (
    <span>
      Last used <UseDetails apiKey={apiKey} />
    </span>
  )
}

/** The same without its first words. */
export function UseDetails({ apiKey: { lastUsedAt, lastUsedFrom, lastUsedAgent, lastUsedFor } }: { apiKey: Used }) {
  return (
    <>
      <Time at={lastUsedAt} />
      {lastUsedFrom && ` from ${lastUsedFrom}`}
      {lastUsedAgent && (
        <>
          {' '}
          by <span title={lastUsedAgent}>{browserName(lastUsedAgent)}</span>
        </>
      )}
      {lastUsedFor && (
        <>
          {' '}
          for <span className="mono">{lastUsedFor}</span>
        </>
      )}
    </>
  )
}
