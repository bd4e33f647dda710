import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { apiKeysQuery, type ListedKey, revokeApiKey } from '../../api/api-keys.ts'
import { ApiError } from '../../api/client.ts'
import { Confirm } from '../../ui/Confirm.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { madeThrough } from './arrange.ts'
import { LastUse } from './LastUse.tsx'
import styles from './RevokeKey.module.css'
import { useReturnFocus } from './use-return-focus.ts'

interface RevokeKeyProps {
  slug: string
  apiKey: ListedKey
  onClose: () => void
  /** Gets the focus when the row is gone. */
  returnTo: RefObject<HTMLElement | null>
}

/** Asks before a key is revoked for good (K8, K9). */
export function RevokeKey({ slug, apiKey, onClose, returnTo }: RevokeKeyProps) {
  const queryClient = useQueryClient()
  const { queryKey } = apiKeysQuery(slug)
  const keys = queryClient.getQueryData(queryKey) ?? []
  const made = madeThrough(keys, apiKey.id)
  const [andMade, setAndMade] = useState(false)
  const opener = useReturnFocus(returnTo)

  const revoke = async () => {
    const gone = await revokeApiKey(slug, apiKey.id, andMade).catch(goneAlready)
    await queryClient.cancelQueries({ queryKey }) // an answer from before would bring the row back for a moment
    queryClient.setQueryData(queryKey, (now) => now?.filter(({ id }) => id !== apiKey.id && !gone?.includes(id)))
    opener.forget() // the row goes with its button
    notifyDone(said(apiKey.label, gone))
    void queryClient.invalidateQueries({ queryKey })
  }

  return (
    <Confirm title="Revoke this key?" action="Revoke key" onConfirm={revoke} onClose={onClose}>
      <div>
        <Text fw={600}>{apiKey.label}</Text>
        <Text size="sm" c="dimmed" component="div">
          <span className="mono">{apiKey.start}…</span> ·{' '}
          <LastUse apiKey={keys.find(({ id }) => id === apiKey.id) ?? apiKey} />
        </Text>
      </div>
      <Text>
        Every application and script that uses it loses access at once. This is permanent: a revoked key cannot be
        restored.
      </Text>
      {made.length > 0 && (
        <label className={styles['also']}>
          <input type="checkbox" checked={andMade} onChange={(event) => setAndMade(event.currentTarget.checked)} />
          <span>
            Also revoke the {made.length === 1 ? 'key' : `${made.length} keys`} that it made:{' '}
            {made.map(({ label }) => label).join(', ')}
          </span>
        </label>
      )}
    </Confirm>
  )
}

/** Somebody else was quicker: what was wanted is so. */
function goneAlready(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
}

function said(label: string, gone: string[] | undefined): string {
  if (!gone) return `“${label}” was revoked already.`
  const more = gone.length - 1
  if (more === 0) return `“${label}” is revoked. Whatever used it is refused from now on.`
  return `“${label}” and ${more === 1 ? 'the key' : `the ${more} keys`} that it made are revoked.`
}
