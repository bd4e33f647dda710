import { Button, Group, Text, TextInput } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Suspense, startTransition, useDeferredValue, useState } from 'react'
import { type UserSearch, usersQuery } from '../api/users.ts'
import { showsApiKeys, useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageError.tsx'
import { WhyNoKeys } from '../components/WhyNoKeys.tsx'
import { MAX_SEARCH } from '../limits.ts'
import { paths } from '../paths.ts'
import { Icon } from '../ui/Icon.tsx'
import { IconUserPlus } from '../ui/icons/icons.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { notifyError } from '../ui/notify.ts'
import { lastPage, PAGE_SIZE, Paging } from '../ui/Paging.tsx'
import { Outdated } from '../ui/ShowMore.tsx'
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

/** While people in another order are on their way, those in sight stay. */
function Users() {
  const { slug } = useParams({ from: '/signed-in/$slug/users' })
  const viewer = useViewer()
  const wanted = useSearch(here)
  const shown = useDeferredValue(wanted)
  const { people, count, areMany, lastAdminId, loadUpTo } = useUsers(slug, shown)
  const list = `${shown.order} ${shown.search}`
  const [turned, setTurned] = useState({ list, page: 1 }) // not in the address, where the page of the panel's list is
  const page = turned.list === list ? Math.min(turned.page, lastPage(people.length)) : 1
  const isAdmin = viewer.role === 'ADMIN'
  const turnTo = async (to: number) => {
    await loadUpTo(to * PAGE_SIZE)
    startTransition(() => setTurned({ list, page: to }))
  }
  return (
    <Page title="Users" of={viewer.organization.name} actions={isAdmin ? <AdminActions /> : <Leave />}>
      <WhyNoKeys />
      <Group mb="md">
        {(areMany || wanted.search) && <SearchField />}
        <Text size="sm" c="dimmed">
          {count.toLocaleString()} {count === 1 ? 'person' : 'people'}
        </Text>
      </Group>
      <Outdated is={shown !== wanted}>
        <UserTable
          users={people.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
          order={wanted.order}
          lastAdminId={lastAdminId}
        />
        <Paging page={page} count={count} onPage={turnTo} />
      </Outdated>
      <Outlet />
    </Page>
  )
}

/** Who is searched for: among those that are here already, and on the server when not everybody is. */
function useUsers(slug: string, { search = '', order }: UserSearch) {
  const all = useSuspenseInfiniteQuery(usersQuery(slug, { order }))
  const wanted = search.trim().toLowerCase()
  const asks = wanted !== '' && all.hasNextPage
  const asked = useInfiniteQuery({
    ...usersQuery(slug, { order, search: wanted }),
    enabled: asks,
    placeholderData: keepPreviousData,
  })
  const everybody = all.data.pages.flatMap(({ data }) => data)
  const found = asks && asked.data?.pages.flatMap(({ data }) => data)
  const people = found || everybody.filter(({ name, email }) => `${name}\n${email}`.toLowerCase().includes(wanted))
  const { data, hasNextPage, fetchNextPage } = asks ? asked : all
  const admins = everybody.filter(({ role, invited }) => role === 'ADMIN' && !invited)
  return {
    people,
    count: (hasNextPage && data?.pages[0]?.totalCount) || people.length,
    areMany: everybody.length > MANY,
    /** The only Admin, who cannot leave; undefined where there are several, or where not everybody is here. */
    lastAdminId: admins.length === 1 && !all.hasNextPage ? admins[0]?.id : undefined,
    loadUpTo: async (wantedCount: number) => {
      if (wantedCount <= people.length || !hasNextPage) return
      const { error } = await fetchNextPage()
      if (error) notifyError(error)
    },
  }
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
function SearchField() {
  const { search = '' } = useSearch(here)
  const navigate = useNavigate({ from: '/$slug/users' })
  const typed = useAddressInput(search, (text) => {
    const search = text || undefined
    void navigate({ to: '.', search: (before) => ({ ...before, search }), replace: true, resetScroll: false })
  })
  return (
    <TextInput
      {...typed}
      type="search"
      aria-label="Search"
      placeholder="Name or email"
      maxLength={MAX_SEARCH}
      maw="var(--width-narrow)"
    />
  )
}
