import { Table, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { supportOrganizationsQuery } from '../api/support.ts'
import { useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageMissing.tsx'
import { MAX_SEARCH } from '../limits.ts'
import { Empty } from '../ui/Empty.tsx'
import { Outdated } from '../ui/Outdated.tsx'
import { ShowMore } from '../ui/ShowMore.tsx'
import { useAddressInput } from '../ui/use-address-input.ts'
import { OrganizationRow } from './support/OrganizationRow.tsx'

const TYPING_MS = 250

/** The vendor's support switches the feature for anybody (F3), and sees no key and no device. */
export function SupportPage() {
  return useViewer().support ? <Organizations /> : <PageMissing />
}

function Organizations() {
  const { search } = useSearch({ from: '/signed-in/support' })
  const navigate = useNavigate({ from: '/support' })
  const find = (begin: string) => void navigate({ to: '.', search: begin ? { search: begin } : {}, replace: true })
  const query = useInfiniteQuery({
    ...supportOrganizationsQuery(search),
    throwOnError: (_error, query) => query.state.data === undefined,
  })
  const { data, isPlaceholderData } = query
  const organizations = data?.pages.flatMap((page) => page.data) ?? []

  return (
    <Page title="Support">
      <TextInput
        type="search"
        label="Search"
        description="The start of the name of an organization or a person."
        maw={420}
        mb="md"
        maxLength={MAX_SEARCH}
        {...useAddressInput(search ?? '', find, TYPING_MS)}
      />
      {data && organizations.length === 0 ? (
        <Empty title="No results">No organization or personal account has a name that starts like this.</Empty>
      ) : (
        <Outdated is={isPlaceholderData} busy={isPlaceholderData || !data}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th visibleFrom="sm">Type</Table.Th>
                <Table.Th>API keys</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {organizations.map((organization) => (
                <OrganizationRow key={organization.id} organization={organization} />
              ))}
            </Table.Tbody>
          </Table>
        </Outdated>
      )}
      <ShowMore query={query}>Show more</ShowMore>
    </Page>
  )
}
