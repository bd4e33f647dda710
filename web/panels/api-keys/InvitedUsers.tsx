import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { invitedUsersQuery } from '../../api/invited-users.ts'

const NAMED = 5

interface Invited {
  id: string
  name: string
  invited: boolean
}

/** Before a key is revoked: whom it has invited, and what becomes of them (C13). */
export function InvitedUsers({ slug, keyId }: { slug: string; keyId: string }) {
  const { data } = useQuery(invitedUsersQuery(slug, keyId))
  if (!data || data.people.length === 0) return null
  const open = data.people.filter(({ invited }) => invited)
  const members = data.people.filter(({ invited }) => !invited)
  return (
    <section aria-label="People whom it invited">
      {open.length > 0 && (
        <Text size="sm">
          {open.length === 1 ? '1 open invitation ends' : `${open.length} open invitations end`} with this key:{' '}
          <Names of={open} />
        </Text>
      )}
      {members.length > 0 && (
        <Text size="sm">
          {members.length === 1
            ? '1 person whom it invited stays a member'
            : `${members.length} people whom it invited stay members`}
          : <Names of={members} />
        </Text>
      )}
      {data.hasMore && <Text size="sm">It has invited more people than are shown here.</Text>}
    </section>
  )
}

function Names({ of }: { of: Invited[] }) {
  const others = of.length - NAMED
  return (
    <>
      {of
        .slice(0, NAMED)
        .map(({ name }) => name)
        .join(', ')}
      {others > 0 ? ` and ${others} more.` : '.'}
    </>
  )
}
