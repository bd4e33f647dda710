import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  type AuditEvent,
  type AuditEventFilter,
  allAuditEvents,
  auditEventsQuery,
  countAuditEvents,
} from '../api/audit.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { csvHead, csvLine } from '../ui/csv-line.ts'
import { dayOf } from '../ui/day-of.ts'
import { Empty } from '../ui/Empty.tsx'
import { SaveFile } from '../ui/SaveFile.tsx'
import { Outdated, ShowMore } from '../ui/ShowMore.tsx'
import { AuditFilters, useActors } from './audit/AuditFilters.tsx'
import { type AuditSearch, auditSearch, filterOf } from './audit/audit-search.ts'
import { EventList } from './audit/EventList.tsx'

/** Who did what when; for the Admins. */
export function AuditPage() {
  const { role, organization } = useViewer()
  if (role === 'ADMIN') return <Log key={organization.slug} organization={organization} />
  return (
    <Page title="Audit" of={organization.name}>
      <Empty title="This page is for Admins">
        You are a Member of {organization.name}. Ask an Admin to look something up for you here, or to make you an Admin
        on the Users page.
      </Empty>
    </Page>
  )
}

function Log({ organization: { slug, name } }: { organization: Viewer['organization'] }) {
  const search = useSearch({ from: '/signed-in/$slug/audit' })
  const navigate = useNavigate({ from: '/$slug/audit' })
  const filter = filterOf(search)
  const query = useInfiniteQuery({
    ...auditEventsQuery(slug, filter),
    throwOnError: (_error, query) => query.state.data === undefined,
  })
  const { data, isPlaceholderData } = query
  const events = data?.pages.flatMap((page) => page.data) ?? []
  const actors = useActors(slug, events, search.actor)
  const change = (by: AuditSearch, replace = false) =>
    void navigate({ to: '.', search: (before) => auditSearch({ ...before, ...by }), replace })

  return (
    <Page title="Audit" of={name} actions={<ExportCsv slug={slug} filter={filter} />}>
      <AuditFilters search={search} actors={actors} onChange={change} />
      {Object.values(search).some(Boolean) && (
        <Button variant="subtle" size="compact-sm" mb="md" onClick={() => navigate({ to: '.', search: {} })}>
          Clear filters
        </Button>
      )}
      <Outdated is={isPlaceholderData} busy={isPlaceholderData || !data}>
        {data && events.length === 0 ? (
          <Empty title="No matching events">Try another action, actor or date range.</Empty>
        ) : (
          <EventList events={events} />
        )}
      </Outdated>
      <ShowMore query={query}>Show older events</ShowMore>
    </Page>
  )
}

/** Saves everything that fits the filter as a file. */
const ExportCsv = ({ slug, filter }: { slug: string; filter: AuditEventFilter }) => (
  <SaveFile
    label="Export CSV"
    done="CSV file downloaded."
    name={() => `audit-${slug}-${dayOf(new Date())}.csv`}
    type="text/csv;charset=utf-8"
    count={() => countAuditEvents(slug, filter)}
    parts={() => partsOf(slug, filter)}
  />
)

async function* partsOf(slug: string, filter: AuditEventFilter) {
  yield { text: csvHead(HEADINGS), entries: 0 }
  for await (const events of allAuditEvents(slug, filter)) yield { text: csvLines(events), entries: events.length }
}

const HEADINGS = [
  'Time',
  'Actor kind',
  'Actor',
  'Actor id',
  'Action',
  'Subject',
  'Details',
  'Event id',
  'Subject type',
  'Subject id',
  'Changes',
  'IP address',
]

/** One line an event, as RFC 4180 has it. */
const csvLines = (events: readonly AuditEvent[]) =>
  events
    .map(({ id, at, action, subject, subjectType, subjectId, details, changes, actor, ip }) =>
      csvLine([
        ...[at, actor.kind, actor.name, actor.id, action, subject, details, id],
        ...[subjectType, subjectId, changes && JSON.stringify(changes), ip],
      ]),
    )
    .join('')
