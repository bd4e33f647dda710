import { Badge } from '@mantine/core'
import type { ListedKey } from '../../api/api-keys.ts'
import { accessName, restrictionsInWords, whatItMay } from '../../components/key-access.ts'
import { Time } from '../../ui/Time.tsx'
import { ExpiryBadge } from './KeyExpiry.tsx'

/** Beside a label: how much the key may do, whether it is accepted now, and until when. */
export function KeyBadges({ apiKey, isLost }: { apiKey: ListedKey; isLost: boolean }) {
  const { notBefore } = apiKey
  const restrictions = restrictionsInWords(apiKey)
  return (
    <>
      <Badge
        variant={apiKey.access === 'ADMIN' ? 'default' : 'light'}
        color="gray"
        tt="none"
        maw="12rem"
        title={whatItMay(apiKey)}
      >
        {accessName(apiKey)}
      </Badge>
      {restrictions !== '' && (
        <Badge variant="default" tt="none" maw="12rem" title={restrictions}>
          {restrictions}
        </Badge>
      )}
      <PausedBadge apiKey={apiKey} />
      {notBefore && Date.parse(notBefore) > Date.now() && (
        <Badge variant="default" tt="none" className="warning">
          Starts <Time at={notBefore} />
        </Badge>
      )}
      <ExpiryBadge apiKey={apiKey} />
      {isLost && (
        <Badge variant="default" tt="none" className="warning">
          Secret not received
        </Badge>
      )}
    </>
  )
}

function PausedBadge({ apiKey: { paused, pausedUntil } }: { apiKey: ListedKey }) {
  if (!paused) return null
  return (
    <Badge variant="default" tt="none" className="warning">
      Paused
      {pausedUntil && <>, resumes {Date.parse(pausedUntil) > Date.now() ? <Time at={pausedUntil} /> : 'now'}</>}
    </Badge>
  )
}
