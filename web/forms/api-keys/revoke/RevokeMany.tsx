import { Badge, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { apiKeysQuery, type ListedKey } from '../../../api/api-keys.ts'
import { ApiError } from '../../../api/client.ts'
import { revokeApiKeys } from '../../../api/revoke-keys.ts'
import { countKeys, isInUse, wasUsedRecently } from '../../../components/key-activity.ts'
import { LastUsed } from '../../../components/LastUsed.tsx'
import { notifyDone, notifyLeft } from '../../../ui/notify.ts'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { ConfirmRevoke } from './ConfirmRevoke.tsx'
import { CreatedWebhooks } from './CreatedWebhooks.tsx'
import { NOT_DURABLE, notifyStillActive, refreshAfterRevoke, useLinksToLeft } from './notify-revoked.tsx'
import styles from './RevokeMany.module.css'

interface RevokeManyProps {
  slug: string
  /** The keys that were selected when it was opened. */
  keys: readonly ListedKey[]
  /** The key that generated them is gone already: they are still active unless this is confirmed. */
  wereLeft?: boolean
  onRevoked: () => void
  onClose: () => void
  returnTo: RefObject<HTMLElement | null>
}

/**
 * Asks once before many keys are revoked in one step, with the whole list. What is confirmed is what is revoked: a key
 * that is gone meanwhile leaves the list, and none joins it.
 */
export default function RevokeMany({
  slug,
  keys: chosen,
  wereLeft = false,
  onRevoked,
  onClose,
  returnTo,
}: RevokeManyProps) {
  const queryClient = useQueryClient()
  const { data: present = [] } = useQuery(apiKeysQuery(slug))
  const keys = present.filter(({ id }) => chosen.some((key) => key.id === id))
  const inUse = keys.filter((key) => isInUse(key))
  const opener = useReturnFocus(returnTo)
  const linksTo = useLinksToLeft()
  const many = countKeys(keys.length)
  const isOne = keys.length === 1

  const cancel = () => {
    onClose()
    const left = keys.map(({ id }) => id)
    if (wereLeft && left.length > 0) notifyStillActive('Nothing more was revoked.', left, linksTo(left))
  }

  const revoke = async (reason: string | null) => {
    const { queryKey } = apiKeysQuery(slug)
    const ids = keys.map(({ id }) => id)
    let durable = true
    try {
      if (ids.length > 0) durable = (await revokeApiKeys(slug, ids, reason)).durable
    } catch (error) {
      await queryClient.invalidateQueries({ queryKey })
      throw explained(error)
    }
    await queryClient.cancelQueries({ queryKey }) // an answer from before would bring the rows back for a moment
    queryClient.setQueryData(queryKey, (before) => before?.filter(({ id }) => !ids.includes(id)))
    opener.forget()
    const done = summary(ids.length, chosen.length)
    if (durable) notifyDone(done)
    else notifyLeft(() => `${done} ${NOT_DURABLE}`)
    onRevoked()
    refreshAfterRevoke(queryClient, slug)
  }

  return (
    <ConfirmRevoke
      title={`Revoke ${many}?`}
      action={`Revoke ${many}`}
      typed={
        inUse.length > 0
          ? { word: String(keys.length), label: `Type ${keys.length} to confirm`, why: whyTyped(inUse.length, isOne) }
          : undefined
      }
      onConfirm={revoke}
      onDone={onClose}
      onClose={cancel}
    >
      <Text>
        {isOne
          ? 'Every application and script that uses it loses access at once. This is permanent. Keys that it generated keep working. Its open invitations are withdrawn; people who have joined stay.'
          : 'Every application and script that uses one of them loses access at once. This is permanent. Keys that they generated keep working, unless they are in this list. Open invitations from them are withdrawn; people who have joined stay.'}
      </Text>
      <CreatedWebhooks slug={slug} keyIds={keys.map(({ id }) => id)} />
      <ul className={`plain-list ${styles['list']}`} aria-label="Keys to be revoked">
        {keys.map((key) => (
          <li key={key.id}>
            <b>{key.label}</b> <span className="mono">{key.prefix}…</span>{' '}
            {wasUsedRecently(key) && <Badge color="warning">Used in the last 24 hours</Badge>}
            <Text size="sm" c="dimmed" component="div">
              <LastUsed apiKey={key} />
            </Text>
          </li>
        ))}
      </ul>
    </ConfirmRevoke>
  )
}

const whyTyped = (count: number, isOne: boolean) =>
  count === 1
    ? `${isOne ? 'It' : 'One of them'} was used in the last 24 hours, so something depends on it.`
    : `${count} of them were used in the last 24 hours, so something depends on them.`

/** All or none: when one was gone already, none was revoked. */
function explained(error: unknown): unknown {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) return error
  return new ApiError('No keys were revoked because some no longer exist. The list is up to date again.', {
    code: 'NOT_FOUND',
  })
}

function summary(revoked: number, selected: number): string {
  const before = selected - revoked
  const gone = before === 0 ? '' : ` ${before === 1 ? '1 was' : `${before} were`} already revoked.`
  if (revoked === 0) return 'All of them were already revoked.'
  return `${countKeys(revoked)} revoked.${gone} Calls with ${revoked === 1 ? 'it' : 'them'} are now refused.`
}
