import { Button, Text, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { type ListedUser, usersQuery } from '../api/users.ts'
import { showsApiKeys, useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageError.tsx'
import { WhyNoKeys } from '../components/WhyNoKeys.tsx'
import { MAX_SEARCH } from '../limits.ts'
import { paths } from '../paths.ts'
import { Icon } from '../ui/Icon.tsx'
import { IconUserPlus } from '../ui/icons/icons.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { lastPage, PAGE_SIZE, Paging } from '../ui/Paging.tsx'
import { useAddressInput } from '../ui/use-address-input.ts'
import { UserTable } from './users/UserTable.tsx'

const InviteUser = lazyDialog(() => import('../forms/users/InviteUser.tsx'))
const RemoveUser = lazyDialog(() => import('../forms/users/RemoveUser.tsx'))
const MANY = 20

/** The people of an organization, and for its Admin the way to its API keys (W1). */
export function UsersPage() {
  const viewer = useViewer()
  return viewer.organization.kind === 'PERSONAL' ? <PageMissing /> : <Users />
}

function Users() {
  const { slug } = useParams({ from: '/signed-in/$slug/users' })
  const viewer = useViewer()
  const { data: users } = useSuspenseQuery(usersQuery(slug))
  const found = useFoundUsers(slug, users)
  const [wanted, setPage] = useState(1) // not in the address, where the page of the panel's list is
  const page = Math.min(wanted, lastPage(found.length))
  const isSearched = useSearch({ ...here, select: ({ search }) => Boolean(search) })
  const isAdmin = viewer.role === 'ADMIN'
  return (
    <Page title="Users" of={viewer.organization.name} actions={isAdmin ? <AdminActions /> : <Leave />}>
      <WhyNoKeys />
      {(users.data.length > MANY || isSearched) && <UserSearch />}
      <UserTable users={found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)} lastAdminId={lastAdminOf(users)} />
      <Paging page={page} count={found.length} onPage={setPage} />
      {users.pageInfo.hasNextPage && (
        <Text c="dimmed" mt="md">
          Showing the first {users.data.length} people. Use search to find others.
        </Text>
      )}
      <Outlet />
    </Page>
  )
}

/** The only Admin, who cannot leave; undefined where there are several, or where not everybody is listed. */
function lastAdminOf({
  data,
  pageInfo,
}: {
  data: { id: string; role: string; invited: boolean }[]
  pageInfo: { hasNextPage: boolean }
}) {
  const admins = data.filter(({ role, invited }) => role === 'ADMIN' && !invited)
  return admins.length === 1 && !pageInfo.hasNextPage ? admins[0]?.id : undefined
}

function AdminActions() {
  const viewer = useViewer()
  const { slug } = viewer.organization
  const [inviting, setInviting] = useState(false)
  return (
    <>
      {showsApiKeys(viewer) && (
        <Button variant="default" component={Link} to={paths.usersApiKeys(slug)}>
          API Keys
        </Button>
      )}
      <Button leftSection={<Icon of={IconUserPlus} />} onClick={() => setInviting(true)}>
        Invite
      </Button>
      <Suspense>{inviting && <InviteUser slug={slug} onClose={() => setInviting(false)} />}</Suspense>
    </>
  )
}

function Leave() {
  const { user, role, organization } = useViewer()
  const [leaving, setLeaving] = useState(false)
  if (!user) return null
  return (
    <>
      <Button variant="default" onClick={() => setLeaving(true)}>
        Leave
      </Button>
      <Suspense>
        {leaving && (
          <RemoveUser
            user={{ ...user, role, invited: false }}
            slug={organization.slug}
            isYou
            onClose={() => setLeaving(false)}
          />
        )}
      </Suspense>
    </>
  )
}

const here = { from: '/signed-in/$slug/users' } as const

/** By name and email; the search is kept in the URL. */
function UserSearch() {
  const { search = '' } = useSearch(here)
  const navigate = useNavigate({ from: '/$slug/users' })
  const typed = useAddressInput(search, (text) => {
    void navigate({ to: '.', search: text === '' ? {} : { search: text }, replace: true, resetScroll: false })
  })
  return (
    <TextInput
      {...typed}
      type="search"
      aria-label="Search"
      placeholder="Name or email"
      maxLength={MAX_SEARCH}
      maw="var(--width-narrow)"
      mb="md"
    />
  )
}

interface Found {
  data: ListedUser[]
  pageInfo: { hasNextPage: boolean }
}

/** Who is searched for: among those that are here already, and on the server when not everybody is. */
function useFoundUsers(slug: string, users: Found): ListedUser[] {
  const { search = '' } = useSearch(here)
  const wanted = search.trim().toLowerCase()
  const asks = users.pageInfo.hasNextPage && wanted !== ''
  const { data } = useQuery({ ...usersQuery(slug, wanted), enabled: asks, placeholderData: keepPreviousData })
  if (asks) return data?.data ?? []
  return users.data.filter(({ name, email }) => `${name}\n${email}`.toLowerCase().includes(wanted))
}
