import { Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { apiKeysQuery, type ListedKey } from '../../../api/api-keys.ts'
import { ApiError } from '../../../api/client.ts'
import { invitedUsersQuery } from '../../../api/invited-users.ts'
import { revokeApiKey, revokeImpactQuery } from '../../../api/revoke-keys.ts'
import { isInUse } from '../../../components/key-times.ts'
import { LastUsed, type Used } from '../../../components/LastUsed.tsx'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { PauseInstead } from '../pause/PauseInstead.tsx'
import RefusedWhilePaused from '../pause/RefusedWhilePaused.tsx'
import { refreshAfterRevoke } from './after-revoke.ts'
import { ConfirmRevoke } from './ConfirmRevoke.tsx'
import { CreatedWebhooks } from './CreatedWebhooks.tsx'
import { among, stillActive } from './created-by.ts'
import { InvitedUsers } from './InvitedUsers.tsx'
import { LineageTree } from './LineageTree.tsx'
import { notifyRevoked } from './notify-revoked.tsx'
import { RevokeImpact } from './RevokeImpact.tsx'
import { RevokeScope } from './RevokeScope.tsx'
import { useDescendants } from './use-descendants.ts'
import { useLinksToLeft } from './use-links-to-left.ts'

interface RevokeKeyProps {
  slug: string
  apiKey: Used & Pick<ListedKey, 'id' | 'label' | 'prefix'> & { paused?: boolean; expired?: boolean }
  onClose: () => void
  /** Gets the focus when the row is gone. */
  returnTo: RefObject<HTMLElement | null>
}

/** Asks before a key is revoked for good (K8, K9): which ones, and what depends on them. */
export default function RevokeKey({ slug, apiKey, onClose, returnTo }: RevokeKeyProps) {
  const queryClient = useQueryClient()
  const linksTo = useLinksToLeft()
  const { data: keys = [] } = useQuery(apiKeysQuery(slug))
  const atStake = useQuery(revokeImpactQuery(slug, apiKey.id))
  const made = useDescendants(slug, apiKey.id)
  const [includeDescendants, setIncludeDescendants] = useState(false)
  const invited = useQuery(invitedUsersQuery(slug, apiKey.id, includeDescendants))
  const opener = useReturnFocus(returnTo)
  const current = keys.find(({ id }) => id === apiKey.id) ?? apiKey
  const isUsed = isInUse(current, atStake.data?.recentUsage.calls)
  const isDescendantUsed = includeDescendants && among(keys, made).some((key) => isInUse(key))

  const revoke = async (reason: string | null) => {
    const revoked = await revokeApiKey(slug, apiKey.id, { includeDescendants, reason }).catch(ignoreAlreadyRevoked)
    const gone = revoked?.ids
    const { queryKey } = apiKeysQuery(slug)
    await queryClient.cancelQueries({ queryKey }) // an answer from before would bring the row back for a moment
    queryClient.setQueryData(queryKey, (now) => now?.filter(({ id }) => id !== apiKey.id && !gone?.includes(id)))
    opener.forget() // the row goes with its button
    const left = stillActive(among(keys, made), gone)
    const { durable = true } = revoked ?? {}
    notifyRevoked({ label: apiKey.label, gone, left, durable, withdrawn: invited.data }, linksTo(left))
    refreshAfterRevoke(queryClient, slug)
  }

  return (
    <ConfirmRevoke
      title="Revoke this key?"
      action={includeDescendants ? `Revoke ${made.length + 1} keys` : 'Revoke this key'}
      typed={
        isUsed || isDescendantUsed
          ? { word: apiKey.label, label: `Type “${apiKey.label}” to confirm`, why: whyTyped(isUsed) }
          : undefined
      }
      instead={!current.paused && !current.expired && <PauseInstead slug={slug} apiKey={apiKey} onPaused={onClose} />}
      onConfirm={revoke}
      onClose={onClose}
    >
      <div>
        <Text fw={600}>{apiKey.label}</Text>
        <Text size="sm" c="dimmed" component="div">
          <span className="mono">{apiKey.prefix}…</span> · <LastUsed apiKey={current} />
        </Text>
      </div>
      {made.length > 0 && (
        <div>
          <RevokeScope made={made.length} includeDescendants={includeDescendants} onChange={setIncludeDescendants} />
          <LineageTree rootId={apiKey.id} made={made} includeDescendants={includeDescendants} />
        </div>
      )}
      <InvitedUsers slug={slug} keyId={apiKey.id} includeDescendants={includeDescendants} />
      <CreatedWebhooks
        slug={slug}
        keyIds={includeDescendants ? [apiKey.id, ...made.map(({ id }) => id)] : [apiKey.id]}
      />
      <Text size="sm">
        Every application and script that uses {includeDescendants ? 'one of them' : 'it'} loses access at once. This is
        permanent: a revoked key cannot be restored.
      </Text>
      {current.paused && (
        <Text size="sm" component="div">
          <RefusedWhilePaused slug={slug} id={apiKey.id} />
        </Text>
      )}
      <RevokeImpact recentUsage={atStake.data?.recentUsage} failed={atStake.isError} />
    </ConfirmRevoke>
  )
}

const whyTyped = (isUsed: boolean) =>
  isUsed
    ? 'This key was used in the last 24 hours: something depends on it.'
    : 'A key that it generated was used in the last 24 hours: something depends on it.'

/** Somebody else was quicker: what was wanted is so. */
function ignoreAlreadyRevoked(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
}
