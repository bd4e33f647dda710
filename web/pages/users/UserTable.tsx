import { Badge, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { changeUserRole, type ListedUser, type UserSort } from '../../api/users.ts'
import { useViewer } from '../../api/viewer.ts'
import { Empty } from '../../ui/Empty.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconDots, IconShield, IconUserMinus } from '../../ui/icons/icons.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { SortHead } from '../../ui/SortHead.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'

const NOT_ON_A_PHONE = 'mantine-visible-from-sm'

interface UserTableProps {
  users: readonly ListedUser[]
  order: UserSort | undefined
  lastAdminId: string | undefined
}

/** Everybody who is in, and who is invited; on a phone without the dates. */
export function UserTable({ users, order = 'joined', lastAdminId }: UserTableProps) {
  const { user: you, role, organization } = useViewer()
  const isAdmin = role === 'ADMIN'
  if (users.length === 0) return <Empty title="No users found">No user has a matching name or email.</Empty>
  return (
    <Table>
      <thead>
        <tr>
          <SortHead by="name" param="order" sort={order}>
            Name
          </SortHead>
          <SortHead by="role" param="order" sort={order}>
            Role
          </SortHead>
          <SortHead by="joined" param="order" sort={order} isTime className={NOT_ON_A_PHONE}>
            Joined
          </SortHead>
          {isAdmin && (
            <th scope="col">
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
        {isYou && <Badge>You</Badge>}
        {user.invited && <Badge>Invited</Badge>}
      </Group>
      {user.email !== user.name && (
        <Text size="sm" c="dimmed">
          {user.email}
        </Text>
      )}
    </>
  )
}

const RemoveUser = lazyDialog(() => import('../../forms/users/RemoveUser.tsx'))

interface UserMenuProps {
  user: ListedUser
  slug: string
  isYou: boolean
  isLastAdmin: boolean
}

/** What an Admin can do with a person. */
function UserMenu({ user, slug, isYou, isLastAdmin }: UserMenuProps) {
  const queryClient = useQueryClient()
  const [removing, setRemoving] = useState(false)
  const removal = isYou ? 'Leave' : user.invited ? 'Withdraw invitation' : 'Remove'
  const otherRole = user.role === 'ADMIN' ? 'MEMBER' : 'ADMIN'

  const changeRole = async () => {
    try {
      await changeUserRole(slug, user.id, otherRole)
      notifyDone(`${user.name} is now ${otherRole === 'ADMIN' ? 'an Admin' : 'a Member'}.`)
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    }
    await queryClient.invalidateQueries({ queryKey: ['users', slug] })
    if (isYou) await queryClient.invalidateQueries({ queryKey: ['viewer'] })
  }

  return (
    <>
      <MenuButton
        position="bottom-end"
        button={
          <Button
            variant="subtle"
            color="neutral"
            size="compact-md"
            px="var(--space-1)"
            aria-label={`Actions for ${user.name}`}
          >
            <Icon of={IconDots} />
          </Button>
        }
        entries={[
          ...(isLastAdmin ? [{ heading: 'The last Admin cannot be removed. Make someone else an Admin first.' }] : []),
          {
            label: otherRole === 'ADMIN' ? 'Make Admin' : 'Make Member',
            icon: IconShield,
            act: changeRole,
            disabled: isLastAdmin,
          },
          { label: removal, icon: IconUserMinus, act: () => setRemoving(true), danger: true, disabled: isLastAdmin },
        ]}
      />
      <Suspense>
        {removing && <RemoveUser user={user} slug={slug} isYou={isYou} onClose={() => setRemoving(false)} />}
      </Suspense>
    </>
  )
}
