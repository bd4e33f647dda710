import { Alert, Anchor, Group, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AuditEvent } from '../api/audit.ts'
import { keyChangesQuery } from '../api/key-changes.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { PageLoading } from '../components/PageLoading.tsx'
import { PageMissing } from '../components/PageMissing.tsx'
import { paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { Outdated } from '../ui/Outdated.tsx'
import { ShowMore } from '../ui/ShowMore.tsx'
import { useAddressInput } from '../ui/use-address-input.ts'
import { ChangeList } from './changes/ChangeList.tsx'
import { changesSearch, momentOf } from './changes/changes-search.ts'
import { DownloadChanges } from './changes/DownloadChanges.tsx'

const TITLE = 'Changes by an API key'

/** What a key and the keys that it created have changed, also once they are revoked; for the Admins. */
export function ApiKeyChangesPage() {
  const { id } = useParams({ from: '/signed-in/$slug/api-keys/$id/changes' })
  const { role, organization } = useViewer()
  if (role === 'ADMIN') return <Changes key={`${organization.id} ${id}`} id={id} organization={organization} />
  return (
    <Page title={TITLE} of={organization.name}>
      <Empty title="This page is for Admins">Only Admins of {organization.name} can view what API keys changed.</Empty>
    </Page>
  )
}

function Changes({ id, organization: { slug, name } }: { id: string; organization: Viewer['organization'] }) {
  const search = useSearch({ from: '/signed-in/$slug/api-keys/$id/changes' })
  const navigate = useNavigate({ from: '/$slug/api-keys/$id/changes' })
  const wanted = { id, since: momentOf(search) }
  const query = useInfiniteQuery({
    ...keyChangesQuery(slug, wanted),
    throwOnError: (_error, query) => query.state.data === undefined,
  })
  const since = useAddressInput(
    search.since ?? '',
    (given) => void navigate({ to: '.', search: changesSearch({ since: given }), replace: true }),
  )
  const { data, isPlaceholderData } = query
  const [first] = data?.pages ?? []
  if (!data) return <PageLoading />
  if (!first) return <PageMissing />
  const events = data.pages.flatMap((page) => page?.data ?? [])
  return (
    <Page title={TITLE} of={name} actions={<DownloadChanges slug={slug} wanted={wanted} />}>
      <About slug={slug} id={id} label={labelIn(events, id)} keyCount={first.keyCount} />
      {!first.isComplete && (
        <Alert color="orange" mb="md">
          This key has more descendants than can be listed. The changes of the others are not shown: see the audit log.
        </Alert>
      )}
      <Group mb="md">
        <TextInput type="datetime-local" label="Since" {...since} />
      </Group>
      <Outdated is={isPlaceholderData} busy={isPlaceholderData}>
        {events.length === 0 ? (
          <Empty title="No changes">
            {search.since ? 'Neither this key nor a key that it created has changed anything since then.' : NOTHING}
          </Empty>
        ) : (
          <ChangeList id={id} events={events} />
        )}
      </Outdated>
      <ShowMore query={query}>Show older changes</ShowMore>
    </Page>
  )
}

const NOTHING = 'Neither this key nor a key that it created has changed anything. Reading leaves no entry here.'

interface AboutProps {
  slug: string
  id: string
  /** Unknown until the key has changed something. */
  label: string | undefined
  keyCount: number
}

/** As it was called at its last change. */
const labelIn = (events: readonly Pick<AuditEvent, 'actor'>[], id: string) =>
  events.find(({ actor }) => actor.id === id)?.actor.name

function About({ slug, id, label, keyCount }: AboutProps) {
  const others = keyCount - 1
  return (
    <Text mb="md">
      Everything that the key {label !== undefined && `“${label}” `}
      <span className="mono">{id}</span>
      {others > 0 && ` and the ${others.toLocaleString()} ${others === 1 ? 'key' : 'keys'} that it created`} changed,
      the newest first. Keys that were revoked are included; check-ins only if they brought another firmware version.{' '}
      <Anchor component={Link} to={paths.audit(slug)} inherit underline="always">
        Audit log
      </Anchor>
    </Text>
  )
}
