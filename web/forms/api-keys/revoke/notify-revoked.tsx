import { Button, Group, Text } from '@mantine/core'
import type { QueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useViewer } from '../../../api/viewer.ts'
import { countKeys } from '../../../components/key-activity.ts'
import { keysOf } from '../../../paths.ts'
import { notifyDone, notifyLeft } from '../../../ui/notify.ts'

interface Revoked {
  label: string
  /** The ids of all that are gone now; absent when somebody else was quicker. */
  gone: readonly string[] | undefined
  /** The ids of those that it generated and that are still active. */
  left: readonly string[]
  /** Whom it had invited, as far as that is known. */
  withdrawn: { people: readonly { invited: boolean }[]; hasMore: boolean } | null | undefined
  /** Whether it is on record outside of the database too. */
  durable: boolean
}

interface Links {
  onShow: () => void
  /** Absent where they cannot be revoked in one step. */
  onRevoke?: () => void
}

/** Says what was revoked, and what lives on: that stays in sight until it is closed, with a way to them. */
export function notifyRevoked({ label, gone, left, durable, withdrawn }: Revoked, links: Links): void {
  const ended = gone ? invitationsInWords(withdrawn) : ''
  const done = `${wordsFor(label, gone)}${ended}${durable ? '' : ` ${NOT_DURABLE}`}`
  if (left.length === 0) {
    if (durable) notifyDone(done)
    else notifyLeft(() => done)
    return
  }
  notifyStillActive(done, left, links)
}

/** The notice about keys that a revoked one has generated and that are still active. */
export function notifyStillActive(done: string, left: readonly string[], { onShow, onRevoke }: Links): void {
  notifyLeft((close) => (
    <>
      <Text inherit>
        {done} {countKeys(left.length)} that it generated {left.length === 1 ? 'is' : 'are'} still active.
      </Text>
      <Group gap="xs" mt="xs">
        <Follow onClick={onShow} close={close}>
          {left.length === 1 ? 'Show it' : 'Show them'}
        </Follow>
        {onRevoke && (
          <Follow onClick={onRevoke} close={close}>
            {left.length === 1 ? 'Revoke it too' : 'Revoke them too'}
          </Follow>
        )}
      </Group>
    </>
  ))
}

const Follow = ({ onClick, close, children }: { onClick: () => void; close: () => void; children: string }) => (
  <Button
    size="compact-sm"
    variant="default"
    onClick={() => {
      close()
      onClick()
    }}
  >
    {children}
  </Button>
)

/** The operator can do something about it, and it is over by itself once the disk is fine. */
export const NOT_DURABLE =
  'This could not be recorded outside the database yet. Until it is, restoring a backup would bring the key back. Tell the portal administrator.'

function invitationsInWords(withdrawn: Revoked['withdrawn']): string {
  const open = withdrawn?.people.filter(({ invited }) => invited).length ?? 0
  if (open === 0) return ''
  if (withdrawn?.hasMore) return ' Its open invitations were withdrawn.'
  return open === 1 ? ' 1 open invitation was withdrawn.' : ` ${open} open invitations were withdrawn.`
}

function wordsFor(label: string, gone: readonly string[] | undefined): string {
  if (!gone) return `“${label}” was already revoked.`
  const more = gone.length - 1
  if (more === 0) return `“${label}” was revoked. Calls with it are now refused.`
  return `“${label}” and ${more === 1 ? 'the key' : `the ${more} keys`} that it generated were revoked.`
}

/** Where keys that are left are shown; and revoked, after a question, unless the feature is off. */
export function useLinksToLeft() {
  const navigate = useNavigate()
  const { organization } = useViewer()
  return (left: string[]) => ({
    onShow: () => void navigate({ href: keysOf(organization, left) }),
    ...(organization.apiKeysEnabled && {
      onRevoke: () => void navigate({ href: keysOf(organization), state: { revokes: left } }),
    }),
  })
}

/** Brings everything up to date that a revoke changes: the keys, those that are gone, and the people they had invited. */
export function refreshAfterRevoke(queryClient: QueryClient, slug: string): void {
  for (const what of ['api-keys', 'revoked-keys', 'users']) {
    void queryClient.invalidateQueries({ queryKey: [what, slug] })
  }
}
