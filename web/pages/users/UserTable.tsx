import { Badge, Group, Text, VisuallyHidden } from '@mantine/core'
import type { ListedUser } from '../../api/users.ts'
import { useViewer } from '../../api/viewer.ts'
import { Empty } from '../../ui/Empty.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import { UserMenu } from './UserMenu.tsx'

const NOT_ON_A_PHONE = 'mantine-visible-from-sm'

/** Everybody who is in, and who is invited; on a phone without the dates. */
export function UserTable({ users, lastAdminId }: { users: ListedUser[]; lastAdminId: string | undefined }) {
  const { user: you, role, organization } = useViewer()
  const isAdmin = role === 'ADMIN'
  if (users.length === 0) return <Empty title="No users found">No user has a matching name or email.</Empty>
  return (
    <Table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Role</th>
          <th className={NOT_ON_A_PHONE}>Joined</th>
          {isAdmin && (
            <th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id}>
            <td>
              <Who user={user} isYou={user.id === you?.id} />
            </td>
            <td className="nowrap">{user.role === 'ADMIN' ? 'Admin' : 'Member'}</td>
            <td className={NOT_ON_A_PHONE}>{user.invited ? 'Not yet' : <Time at={user.createdAt} />}</td>
            {isAdmin && (
              <td className="end">
                <UserMenu
                  user={user}
                  slug={organization.slug}
                  isYou={user.id === you?.id}
                  isLastAdmin={user.id === lastAdminId}
                />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function Who({ user, isYou }: { user: ListedUser; isYou: boolean }) {
  return (
    <>
      <Group gap="xs">
        <Text fw={500}>{user.name}</Text>
        {isYou && <Badge variant="default">You</Badge>}
        {user.invited && <Badge variant="default">Invited</Badge>}
      </Group>
      {user.email !== user.name && (
        <Text size="sm" c="dimmed">
          {user.email}
        </Text>
      )}
    </>
  )
}
