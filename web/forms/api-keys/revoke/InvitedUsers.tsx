import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type InvitedUser, invitedUsersQuery } from '../../../api/revoke-keys.ts'
import styles from './InvitedUsers.module.css'

const NAMED = 5

interface InvitedUsersProps {
  slug: string
  keyId: string
  /** Whether the keys that it generated are revoked as well. */
  includeDescendants: boolean
}

/** Before a key is revoked: whom it has invited, and what becomes of them (C13). */
export function InvitedUsers({ slug, keyId, includeDescendants }: InvitedUsersProps) {
  const { data, isError } = useQuery(invitedUsersQuery(slug, keyId, includeDescendants))
  const they = includeDescendants ? 'they' : 'it'
  if (isError) return <UsersNotKnown they={they} />
  if (!data || data.people.length === 0) return null
  const open = data.people.filter(({ invited }) => invited)
  const members = data.people.filter(({ invited }) => !invited)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keyboard
    <section aria-label={`People ${they} invited`} className={styles['people']} tabIndex={0}>
      {open.length > 0 && (
        <Text size="sm">
          {open.length === 1 ? '1 open invitation is withdrawn' : `${open.length} open invitations are withdrawn`} with{' '}
          {includeDescendants ? 'these keys' : 'this key'}: {namesOf(open)}
        </Text>
      )}
      <Staying as="an Admin" they={they} people={members.filter(({ role }) => role === 'ADMIN')} />
      <Staying as="a Member" they={they} people={members.filter(({ role }) => role === 'MEMBER')} />
      {data.hasMore && <Text size="sm">{they === 'it' ? 'It' : 'They'} invited more people than are shown here.</Text>}
    </section>
  )
}

function Staying({ as, they, people }: { as: 'an Admin' | 'a Member'; they: string; people: InvitedUser[] }) {
  if (people.length === 0) return null
  return (
    <Text size="sm">
      {people.length === 1
        ? `1 person ${they} invited stays ${as}`
        : `${people.length} people ${they} invited stay ${as.replace(/^an? /, '')}s`}
      : {namesOf(people)}
    </Text>
  )
}

function namesOf(people: InvitedUser[]): string {
  const others = people.length - NAMED
  const named = people.slice(0, NAMED).map(({ name, email }) => (name === email ? email : `${name} (${email})`))
  return `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}.`
}

const UsersNotKnown = ({ they }: { they: string }) => (
  <Text size="sm" c="dimmed" role="status">
    The people {they} invited could not be loaded. Open invitations are withdrawn; people who have joined stay.
  </Text>
)
