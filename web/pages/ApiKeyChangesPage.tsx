import { Alert, Anchor, Group, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AuditEvent } from '../api/audit.ts'
import {
  allKeyChanges,
  countKeyChanges,
  type KeyChange,
  keyChangesQuery,
  keyLabelQuery,
  type WantedChanges,
} from '../api/key-changes.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { PageLoading, PageMissing } from '../components/PageError.tsx'
import { paths } from '../paths.ts'
import { csvHead } from '../ui/csv-line.ts'
import { dayOf } from '../ui/day-of.ts'
import { Empty } from '../ui/Empty.tsx'
import { SaveFile } from '../ui/SaveFile.tsx'
import { Outdated, ShowMore } from '../ui/ShowMore.tsx'
import { Time } from '../ui/Time.tsx'
import { useAddressInput } from '../ui/use-address-input.ts'
import styles from './audit/EventList.module.css'
import { FieldChanges } from './audit/FieldChanges.tsx'
import { inWords } from './audit/words.ts'
import { changesCsv, HEADINGS } from './changes/changes-file.ts'
import { changesSearch, momentOf } from './changes/changes-search.ts'

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
  const { data: labelNow } = useQuery(keyLabelQuery(slug, id))
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
    <Page
      title={TITLE}
      of={name}
      back={
        <Anchor component={Link} to={paths.apiKey(slug, id)} inherit underline="always">
          API key
        </Anchor>
      }
      actions={<DownloadChanges slug={slug} wanted={wanted} />}
    >
      <About slug={slug} id={id} label={labelNow ?? labelIn(events, id)} keyCount={first.keyCount} />
      {!first.isComplete && (
        <Alert color="warning" mb="md">
          This key has more descendants than can be listed. The changes of the others are not shown: see the audit log.
        </Alert>
      )}
      <Group mb="md">
        <TextInput type="datetime-local" label="Since" {...since} />
      </Group>
      <Outdated is={isPlaceholderData} busy={isPlaceholderData}>
        {events.length === 0 ? (
          <Empty title="No changes">
            {search.since ? 'No changes since then by this key or the keys it created.' : NOTHING}
          </Empty>
        ) : (
          <ChangeList id={id} events={events} />
        )}
      </Outdated>
      <ShowMore query={query}>Show older changes</ShowMore>
    </Page>
  )
}

const NOTHING = 'No changes yet by this key or the keys it created. Reads are not recorded here.'

interface AboutProps {
  slug: string
  id: string
  /** Unknown for a key that is gone and has changed nothing. */
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
      Everything that {label === undefined ? <span className="mono">{id}</span> : `“${label}”`}
      {others > 0 && ` and the ${others.toLocaleString()} ${others === 1 ? 'key' : 'keys'} that it created`} changed,
      the newest first. Keys that were revoked are included; check-ins only if they brought another firmware version.{' '}
      <Anchor component={Link} to={paths.audit(slug)} inherit underline="always">
        Audit log
      </Anchor>
    </Text>
  )
}

/** What the key with this id, or a key that it created, has changed: a sentence each, and the fields. */
function ChangeList({ id, events }: { id: string; events: readonly KeyChange[] }) {
  return (
    <ul className="plain-list" aria-label="Changes">
      {events.map((event) => (
        <Change key={event.id} event={event} isItself={event.actor.id === id} />
      ))}
    </ul>
  )
}

function Change({ event, isItself }: { event: KeyChange; isItself: boolean }) {
  const { message, subject } = inWords(event)
  return (
    <li className={styles['event']}>
      <div>
        <Text>
          <strong>{isItself ? 'This key' : `The key ${event.actor.name}, created by this key,`}</strong> {message}{' '}
          {subject && <strong>{subject}</strong>}
        </Text>
        {event.changes && <FieldChanges changes={event.changes} />}
      </div>
      <Text size="sm" c="dimmed">
        {event.ip && <span className="nowrap">from {event.ip} · </span>}
        <Time at={event.at} />
      </Text>
    </li>
  )
}

interface DownloadChangesProps {
  slug: string
  wanted: WantedChanges
}

/** All changes as a file, not only those on the page. */
function DownloadChanges({ slug, wanted }: DownloadChangesProps) {
  const name = (extension: string) => `changes-${wanted.id}-${dayOf(new Date())}.${extension}`
  const count = () => countKeyChanges(slug, wanted)
  return (
    <>
      <SaveFile
        label="Download CSV"
        done="CSV file downloaded."
        name={() => name('csv')}
        type="text/csv;charset=utf-8"
        count={count}
        parts={() => csvParts(slug, wanted)}
      />
      <SaveFile
        label="Download JSON"
        done="JSON file downloaded."
        name={() => name('json')}
        type="application/json"
        count={count}
        parts={() => jsonParts(slug, wanted)}
      />
    </>
  )
}

async function* csvParts(slug: string, wanted: WantedChanges) {
  yield { text: csvHead(HEADINGS), entries: 0 }
  for await (const events of allKeyChanges(slug, wanted)) yield { text: changesCsv(events), entries: events.length }
}

async function* jsonParts(slug: string, wanted: WantedChanges) {
  yield { text: '[', entries: 0 }
  let isFirst = true
  for await (const events of allKeyChanges(slug, wanted)) {
    const text = events.map((event) => JSON.stringify(event)).join(',\n')
    yield { text: isFirst || text === '' ? text : `,\n${text}`, entries: events.length }
    isFirst = false
  }
  yield { text: ']\n', entries: 0 }
}
