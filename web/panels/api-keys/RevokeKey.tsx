import { Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { apiKeysQuery, atStakeQuery, type ListedKey, revokeApiKey } from '../../api/api-keys.ts'
import { ApiError } from '../../api/client.ts'
import { notifyDone } from '../../ui/notify.ts'
import { ConfirmRevoke } from './ConfirmRevoke.tsx'
import { InvitedUsers } from './InvitedUsers.tsx'
import { LastUse, type Used } from './LastUse.tsx'
import { LineageTree } from './LineageTree.tsx'
import { madeThrough } from './lineage.ts'
import styles from './RevokeKey.module.css'
import { isUsedLately } from './recent.ts'
import { useReturnFocus } from './use-return-focus.ts'
import { WhatBreaks } from './WhatBreaks.tsx'

interface RevokeKeyProps {
  slug: string
  apiKey: Used & Pick<ListedKey, 'id' | 'label' | 'prefix'>
  onClose: () => void
  /** Gets the focus when the row is gone. */
  returnTo: RefObject<HTMLElement | null>
}

/** Asks before a key is revoked for good (K8, K9), and says what depends on it. */
export function RevokeKey({ slug, apiKey, onClose, returnTo }: RevokeKeyProps) {
  const queryClient = useQueryClient()
  const { data: keys = [] } = useQuery(apiKeysQuery(slug))
  const atStake = useQuery(atStakeQuery(slug, apiKey.id))
  const made = atStake.data?.descendants.data ?? madeThrough(keys, apiKey.id)
  const [andMade, setAndMade] = useState(false)
  const opener = useReturnFocus(returnTo)
  const current = keys.find(({ id }) => id === apiKey.id) ?? apiKey
  const isUsed = isUsedLately(current) || (atStake.data?.recentUse.calls ?? 0) > 0
  const isMadeUsed = andMade && made.some(isUsedLately)

  const revoke = async () => {
    const gone = await revokeApiKey(slug, apiKey.id, andMade).catch(goneAlready)
    const { queryKey } = apiKeysQuery(slug)
    await queryClient.cancelQueries({ queryKey }) // an answer from before would bring the row back for a moment
    queryClient.setQueryData(queryKey, (now) => now?.filter(({ id }) => id !== apiKey.id && !gone?.includes(id)))
    opener.forget() // the row goes with its button
    notifyDone(said(apiKey.label, gone))
    void queryClient.invalidateQueries({ queryKey })
  }

  return (
    <ConfirmRevoke
      title="Revoke this key?"
      action="Revoke key"
      typed={
        isUsed || isMadeUsed
          ? { word: apiKey.label.trim(), label: `Type “${apiKey.label}” to confirm`, why: whyTyped(isUsed) }
          : undefined
      }
      onConfirm={revoke}
      onClose={onClose}
    >
      <div>
        <Text fw={600}>{apiKey.label}</Text>
        <Text size="sm" c="dimmed" component="div">
          <span className="mono">{apiKey.prefix}…</span> · <LastUse apiKey={current} />
        </Text>
      </div>
      <Text>
        Every application and script that uses it loses access at once. This is permanent: a revoked key cannot be
        restored.
      </Text>
      <InvitedUsers slug={slug} keyId={apiKey.id} />
      <WhatBreaks recentUse={atStake.data?.recentUse} failed={atStake.isError} />
      {made.length > 0 && (
        <div>
          <label className={styles['also']}>
            <input type="checkbox" checked={andMade} onChange={(event) => setAndMade(event.currentTarget.checked)} />
            <span>
              Also revoke the {made.length === 1 ? 'key' : `${made.length} keys`} that it made. Without this{' '}
              {made.length === 1 ? 'it goes' : 'they go'} on working.
            </span>
          </label>
          <LineageTree root={apiKey} made={made} andMade={andMade} />
        </div>
      )}
    </ConfirmRevoke>
  )
}

const whyTyped = (isUsed: boolean) =>
  isUsed
    ? 'This key was used within the last 24 hours: something depends on it.'
    : 'A key that it made was used within the last 24 hours: something depends on it.'

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
