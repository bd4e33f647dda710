import { Alert, Badge, Button, Group, Table, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatchRoute, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { type ListedUser, usersQuery } from '../api/users.ts'
import { showsApiKeys, useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { UserMenu } from '../panels/UserMenu.tsx'
import { paths } from '../paths.ts'
import { Time } from '../ui/Time.tsx'

const InviteUser = lazy(() => import('../panels/InviteUser.tsx'))

/** The people of an organization, and for its Admin the way to its API keys (W1). */
export function UsersPage() {
  const { slug } = useParams({ from: '/signed-in/$slug/users' })
  const viewer = useViewer()
  const { data: users } = useSuspenseQuery(usersQuery(slug))
  const [inviting, setInviting] = useState(false)
  const isAdmin = viewer.role === 'ADMIN'
  return (
    <Page title="Users" of={viewer.organization.name} actions={isAdmin && <Actions invite={() => setInviting(true)} />}>
      <WhyNoKeys />
      <div className="scroll-x">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Joined</Table.Th>
              {isAdmin && <Table.Td />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {users.data.map((user) => (
              <UserRow key={user.id} user={user} slug={slug} isAdmin={isAdmin} isYou={user.id === viewer.user?.id} />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {users.pageInfo.hasNextPage && (
        <Text c="dimmed" mt="md">
          The first 500 people are shown.
        </Text>
      )}
      <Suspense>{inviting && <InviteUser slug={slug} onClose={() => setInviting(false)} />}</Suspense>
      {showsApiKeys(viewer) && <Outlet />}
    </Page>
  )
}

function Actions({ invite }: { invite: () => void }) {
  const viewer = useViewer()
  return (
    <>
      {showsApiKeys(viewer) && (
        <Button variant="default" component={Link} to={paths.usersApiKeys(viewer.organization.slug)}>
          API Keys
        </Button>
      )}
      <Button onClick={invite}>Invite</Button>
    </>
  )
}

function UserRow({ user, slug, isAdmin, isYou }: { user: ListedUser; slug: string; isAdmin: boolean; isYou: boolean }) {
  return (
    <Table.Tr>
      <Table.Td>
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
      </Table.Td>
      <Table.Td>{user.role === 'ADMIN' ? 'Admin' : 'Member'}</Table.Td>
      <Table.Td>{user.invited ? 'Not yet' : <Time at={user.createdAt} />}</Table.Td>
      {isAdmin && (
        <Table.Td ta="right">
          <UserMenu user={user} slug={slug} isYou={isYou} />
        </Table.Td>
      )}
    </Table.Tr>
  )
}

/** The panel's address leads here too when the panel may not be shown: the page says why (F2). */
function WhyNoKeys() {
  const viewer = useViewer()
  const matches = useMatchRoute()
  const asksForKeys = matches({ to: '/$slug/users/api-keys', params: { slug: viewer.organization.slug } })
  if (!asksForKeys || showsApiKeys(viewer)) return null
  return (
    <Alert mb="md" role="status">
      {viewer.role === 'ADMIN'
        ? 'API keys are switched off for this organization. Switch them on in Settings.'
        : 'API keys are for the Admins of this organization.'}
    </Alert>
  )
}
