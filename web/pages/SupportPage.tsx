import { Switch, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { type SupportedOrganization, supportOrganizationsQuery, supportSetApiKeysEnabled } from '../api/organization.ts'
import { useViewer } from '../api/viewer.ts'
import { countActiveKeys } from '../components/key-activity.ts'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageError.tsx'
import { MAX_SEARCH } from '../limits.ts'
import { Empty } from '../ui/Empty.tsx'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { notifyDone, notifyError } from '../ui/notify.ts'
import { Outdated, ShowMore } from '../ui/ShowMore.tsx'
import { Table } from '../ui/Table.tsx'
import { useAddressInput } from '../ui/use-address-input.ts'

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
        maw="var(--width-narrow)"
        mb="md"
        maxLength={MAX_SEARCH}
        {...useAddressInput(search ?? '', find, TYPING_MS)}
      />
      {data && organizations.length === 0 ? (
        <Empty title="No results">No organization or personal account has a name that starts with this.</Empty>
      ) : (
        <Outdated is={isPlaceholderData} busy={isPlaceholderData || !data}>
          <Table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" className="mantine-visible-from-sm">
                  Type
                </th>
                <th scope="col">API keys</th>
              </tr>
            </thead>
            <tbody>
              {organizations.map((organization) => (
                <OrganizationRow key={organization.id} organization={organization} />
              ))}
            </tbody>
          </Table>
        </Outdated>
      )}
      <ShowMore query={query}>Show more</ShowMore>
    </Page>
  )
}

const SwitchOffFor = lazyDialog(() => import('../forms/api-keys/SwitchOffFor.tsx'))

/** One organization with its switch: on at once, off after a question. */
function OrganizationRow({ organization }: { organization: SupportedOrganization }) {
  const { id, name, slug, kind, apiKeysEnabled, activeApiKeyCount } = organization
  const queryClient = useQueryClient()
  const [asking, setAsking] = useState(false)
  const [pending, setPending] = useState(false)
  const change = async (enabled: boolean) => {
    await supportSetApiKeysEnabled(id, enabled)
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['support-organizations'] }),
      queryClient.invalidateQueries({ queryKey: ['viewer'] }),
    ])
    notifyDone(`API keys are switched ${enabled ? 'on' : 'off'} for ${name}.`)
  }
  const toggle = async () => {
    if (pending) return
    if (apiKeysEnabled) return setAsking(true)
    setPending(true)
    try {
      await change(true)
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    } finally {
      setPending(false)
    }
  }
  const kindInWords = kind === 'PERSONAL' ? 'Personal account' : 'Organization'
  return (
    <tr>
      <td>
        <Text fw={500}>{name}</Text>
        <Text size="sm" c="dimmed" className="mono">
          {slug}
        </Text>
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {kindInWords}
        </Text>
      </td>
      <td className="mantine-visible-from-sm">{kindInWords}</td>
      <td>
        <Switch
          checked={apiKeysEnabled}
          onChange={toggle}
          aria-label={`API keys of ${name}`}
          label={apiKeysEnabled ? 'On' : 'Off'}
          description={countActiveKeys(activeApiKeyCount)}
        />
        <Suspense>
          {asking && (
            <SwitchOffFor
              organization={organization}
              onConfirm={() => change(false)}
              onClose={() => setAsking(false)}
            />
          )}
        </Suspense>
      </td>
    </tr>
  )
}
