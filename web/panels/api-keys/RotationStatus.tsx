import type { ListedKey } from '../../api/api-keys.ts'
import { UseDetails } from '../../components/LastUsed.tsx'

/** Of a key that is being replaced: which of the two is still used, and from where. */
export function RotationStatus({ old, successor }: { old: ListedKey; successor: ListedKey }) {
  const isStillUsed = old.lastUsedAt !== null && old.lastUsedAt > successor.createdAt
  return (
    <span>
      {isStillUsed ? (
        <>
          <b>Still used:</b> <UseDetails apiKey={old} />.
        </>
      ) : (
        'Not used since it was replaced.'
      )}{' '}
      {successor.lastUsedAt ? (
        <>
          The new one was used <UseDetails apiKey={successor} />.
        </>
      ) : (
        'The new one has not been used yet.'
      )}
    </span>
  )
}
