import { Anchor, Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { DAY_MS, expiresSoon } from '../../components/key-activity.ts'
import { paths } from '../../paths.ts'
import { daysLeftInWords } from '../../ui/relative-time.ts'
import { Time } from '../../ui/Time.tsx'
import styles from './KeyRow.module.css'

/** Beside a label: the one thing that is special about the key now, the most urgent first. */
export function KeyBadge({ apiKey, isLost }: { apiKey: ListedKey; isLost: boolean }) {
  const words = isLost ? 'Secret not received' : stateOf(apiKey)
  if (!words) return null
  return <Badge color={apiKey.expired ? 'neutral' : 'warning'}>{words}</Badge>
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

/** On the badge of a key that expires soon, or is replaced. */
function expiryInWords(apiKey: ListedKey): ReactNode {
  const { expiresAt, replacedBy } = apiKey
  if (!expiresAt) return undefined
  if (replacedBy) {
    return (
      <>
        Replaced: expires <Time at={expiresAt} />
      </>
    )
  }
  if (!expiresSoon(apiKey)) return undefined
  return `Expires ${daysLeftInWords(Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS))}`
}

interface KeyLabelProps {
  slug: string
  apiKey: ListedKey
  labelId: string
  /** What stands beside the label. */
  children?: ReactNode
}

/** The label of a key, which leads to its page. One that is too long for the row is whole in its tooltip. */
export function KeyLabel({ slug, apiKey: { id, label }, labelId, children }: KeyLabelProps) {
  return (
    <div className={styles['head']}>
      <Anchor
        component={Link}
        to={paths.apiKey(slug, id)}
        fw={600}
        size="sm"
        c="inherit"
        underline="always"
        id={labelId}
        title={label}
        className={styles['name'] ?? ''}
      >
        {label}
      </Anchor>
      {children}
    </div>
  )
}
