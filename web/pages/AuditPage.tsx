import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { auditEventsQuery } from '../api/audit.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Outdated } from '../ui/Outdated.tsx'
import { ShowMore } from '../ui/ShowMore.tsx'
import { AuditFilters } from './audit/AuditFilters.tsx'
import { type AuditSearch, auditSearch } from './audit/audit-search.ts'
import { EventList } from './audit/EventList.tsx'
import { ExportCsv } from './audit/ExportCsv.tsx'
import { filterOf, known } from './audit/filter.ts'
import { useActors } from './audit/use-actors.ts'

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
  const search = known(useSearch({ from: '/signed-in/$slug/audit' }))
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
