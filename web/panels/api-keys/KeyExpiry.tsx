import { Badge } from '@mantine/core'
import type { ListedKey } from '../../api/api-keys.ts'
import { DAY_MS, expiresSoon } from '../../components/key-times.ts'
import { daysLeftInWords } from '../../ui/days-left.ts'
import { Time } from '../../ui/Time.tsx'
import styles from './KeyRow.module.css'

/** Beside a label: when the key expires, or has expired; more striking once it is soon. */
export function ExpiryBadge({ apiKey: { expiresAt, expired, replacedBy } }: { apiKey: ListedKey }) {
  if (!expiresAt) return null
  if (expired) {
    return (
      <>
        <Badge variant="default" tt="none">
          Expired
        </Badge>
        <span className={styles['note']}>
          <Time at={expiresAt} />
        </span>
      </>
    )
  }
  if (!replacedBy && !expiresSoon(expiresAt)) {
    return (
      <span className={styles['note']}>
        expires <Time at={expiresAt} />
      </span>
    )
  }
  return (
    <Badge variant="default" tt="none" className="warning">
      {replacedBy ? (
        <>
          Replaced: expires <Time at={expiresAt} />
        </>
      ) : (
        `Expires ${daysLeftInWords(Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS))}`
      )}
    </Badge>
  )
}
