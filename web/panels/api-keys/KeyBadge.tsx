import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { Time } from '../../ui/Time.tsx'
import { expiryInWords } from './KeyExpiry.tsx'

/** Beside a label: the one thing that is special about the key now, the most urgent first. */
export function KeyBadge({ apiKey, isLost }: { apiKey: ListedKey; isLost: boolean }) {
  const words = isLost ? 'Secret not received' : stateOf(apiKey)
  if (!words) return null
  return (
    <Badge variant="default" tt="none" {...(apiKey.expired ? {} : { className: 'warning' })}>
      {words}
    </Badge>
  )
}

function stateOf(apiKey: ListedKey): ReactNode {
  const { expired, paused, pausedUntil, notBefore } = apiKey
  if (expired) return 'Expired'
  if (paused) {
    return (
      <>
        Paused
        {pausedUntil && <>, resumes {Date.parse(pausedUntil) > Date.now() ? <Time at={pausedUntil} /> : 'now'}</>}
      </>
    )
  }
  if (notBefore && Date.parse(notBefore) > Date.now()) {
    return (
      <>
        Starts <Time at={notBefore} />
      </>
    )
  }
  return expiryInWords(apiKey)
}
