import { TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ListedUser, usersQuery } from '../../api/users.ts'
import { MAX_SEARCH } from '../../limits.ts'
import { useAddressInput } from '../../ui/use-address-input.ts'

const here = { from: '/signed-in/$slug/users' } as const

/** By name and email; the search is kept in the URL. */
export function UserSearch() {
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
      maw={320}
      mb="md"
    />
  )
}

interface Users {
  data: ListedUser[]
  pageInfo: { hasNextPage: boolean }
}

/** Who is searched for: among those that are here already, and on the server when not everybody is. */
export function useFoundUsers(slug: string, users: Users): ListedUser[] {
  const { search = '' } = useSearch(here)
  const wanted = search.trim().toLowerCase()
  const asks = users.pageInfo.hasNextPage && wanted !== ''
  const { data } = useQuery({ ...usersQuery(slug, wanted), enabled: asks, placeholderData: keepPreviousData })
  if (asks) return data?.data ?? []
  return users.data.filter(({ name, email }) => `${name}\n${email}`.toLowerCase().includes(wanted))
}
