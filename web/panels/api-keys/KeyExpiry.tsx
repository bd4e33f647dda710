import { Badge } from '@mantine/core'
import type { ListedKey } from '../../api/api-keys.ts'
import { DAY_MS, expiresSoon } from '../../components/key-times.ts'
import { daysLeftInWords } from '../../ui/days-left.ts'
import { Time } from '../../ui/Time.tsx'

/** Beside a label: the key has expired, or will soon. */
export function ExpiryBadge({ apiKey: { expiresAt, expired, replacedBy } }: { apiKey: ListedKey }) {
  if (!expiresAt) return null
  if (expired) return <Badge variant="default">Expired</Badge>
  if (!replacedBy && !expiresSoon(expiresAt)) return null
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

/** What the badge does not say: when the key expired, or a date that is far off. */
export function ExpiryNote({ apiKey: { expiresAt, expired } }: { apiKey: ListedKey }) {
  if (!expiresAt || (!expired && expiresSoon(expiresAt))) return null
  return (
    <>
      {' '}
      · {expired ? 'expired' : 'expires'} <Time at={expiresAt} />
    </>
  )
}
