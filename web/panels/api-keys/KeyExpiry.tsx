import type { ReactNode } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { DAY_MS, expiresSoon } from '../../components/key-times.ts'
import { daysLeftInWords } from '../../ui/days-left.ts'
import { Time } from '../../ui/Time.tsx'

/** On the badge of a key that expires soon, or is replaced. */
export function expiryInWords({ expiresAt, replacedBy }: ListedKey): ReactNode {
  if (!expiresAt) return undefined
  if (replacedBy) {
    return (
      <>
        Replaced: expires <Time at={expiresAt} />
      </>
    )
  }
  if (!expiresSoon(expiresAt)) return undefined
  return `Expires ${daysLeftInWords(Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS))}`
}
