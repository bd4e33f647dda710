import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { apiKeysQuery, type ListedKey } from '../../../api/api-keys.ts'
import { ApiError } from '../../../api/client.ts'
import { pauseApiKey } from '../../../api/key-pause.ts'
import {
  type Descendant,
  descendantsQuery,
  invitedUsersQuery,
  revokeApiKey,
  revokeImpactQuery,
} from '../../../api/revoke-keys.ts'
import { isInUse } from '../../../components/key-activity.ts'
import { LastUsed, type Used } from '../../../components/LastUsed.tsx'
import { PAUSES } from '../../../components/lengths.ts'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { notifyDone } from '../../../ui/notify.ts'
import { useConfirming } from '../../../ui/use-confirming.ts'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { RefusedWhilePaused } from '../pause/PausedNotice.tsx'
import { ConfirmRevoke } from './ConfirmRevoke.tsx'
import { CreatedWebhooks } from './CreatedWebhooks.tsx'
import { InvitedUsers } from './InvitedUsers.tsx'
import { LineageTree, RevokeScope } from './LineageTree.tsx'
import { notifyRevoked, refreshAfterRevoke, useLinksToLeft } from './notify-revoked.tsx'
import { RevokeImpact } from './RevokeImpact.tsx'
import { among, generatedBy, stillActive } from './revoke.ts'

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
    ? 'This key was used in the last 24 hours, so something depends on it.'
    : 'A key it generated was used in the last 24 hours, so something depends on it.'

/** Somebody else was quicker: what was wanted is so. */
function ignoreAlreadyRevoked(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
}

interface PauseInsteadProps {
  slug: string
  apiKey: { id: string; label: string }
  onPaused: () => void
}

/** In the dialog that revokes a used key: the safe try before it, which can be undone (C15). */
function PauseInstead({ slug, apiKey, onPaused }: PauseInsteadProps) {
  const queryClient = useQueryClient()
  const [chosen, setChosen] = useState(0)
  const { seconds = null, label = '' } = PAUSES[chosen] ?? {}
  const pause = async () => {
    await pauseApiKey(slug, apiKey.id, seconds)
    notifyDone(`“${apiKey.label}” is paused ${label}, not revoked. The list shows which calls are refused meanwhile.`)
    void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
  }
  const { pending, error, confirm } = useConfirming(pause, onPaused)
  return (
    <>
      <Group gap="xs">
        <Text size="sm" flex="1 1 var(--width-field)">
          Not sure? Pause it first.
        </Text>
        <NativeSelect
          aria-label="Pause"
          size="xs"
          value={chosen}
          onChange={(event) => setChosen(Number(event.currentTarget.value))}
          data={PAUSES.map(({ label }, index) => ({ value: String(index), label: `Pause ${label}` }))}
        />
        <Button variant="default" size="xs" loading={pending} onClick={confirm}>
          Pause instead
        </Button>
      </Group>
      {error && <ErrorAlert error={error} />}
    </>
  )
}

/** The keys that a key generated, directly or through others; until that is loaded, those known from the list (C2). */
function useDescendants(slug: string, id: string): Descendant[] {
  const { data: keys = [] } = useQuery(apiKeysQuery(slug))
  const { data } = useQuery(descendantsQuery(slug, id))
  return data ?? generatedBy(keys, id)
}
