import { Badge } from '@mantine/core'
import type { ListedKey } from '../../api/api-keys.ts'
import { daysLeftInWords } from '../../ui/days-left.ts'
import { Time } from '../../ui/Time.tsx'
import styles from './KeyEnd.module.css'
import { DAY_MS } from './recent.ts'

const SOON_MS = 30 * DAY_MS

/** Beside a label: that the key has ended, or will before long. */
export function EndBadge({ apiKey: { expiresAt, expired, replacedBy } }: { apiKey: ListedKey }) {
  if (!expiresAt) return null
  if (expired) return <Badge variant="default">Ended</Badge>
  if (!replacedBy && !isSoon(expiresAt)) return null
  return (
    <Badge variant="default" tt="none" className={styles['soon'] ?? ''}>
      {replacedBy ? (
        <>
          Replaced: ends <Time at={expiresAt} />
        </>
      ) : (
        `Ends ${daysLeftInWords(Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS))}`
      )}
    </Badge>
  )
}

/** The rest that there is to say: when it has ended, or that it will in a long time. */
export function EndNote({ apiKey: { expiresAt, expired } }: { apiKey: ListedKey }) {
  if (!expiresAt || (!expired && isSoon(expiresAt))) return null
  return (
    <>
      {' '}
      · {expired ? 'ended' : 'ends'} <Time at={expiresAt} />
    </>
  )
}

const isSoon = (end: string) => Date.parse(end) - Date.now() <= SOON_MS
