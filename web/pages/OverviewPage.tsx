import { Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { overviewQuery } from '../api/overview.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { KeysHeld } from '../components/KeysHeld.tsx'
import { Page } from '../components/Page.tsx'
import { Checklist } from './overview/Checklist.tsx'
import { stepsDone } from './overview/checklist-steps.ts'
import { DevicesSummary } from './overview/DevicesSummary.tsx'
import { KeysSummary } from './overview/KeysSummary.tsx'
import { RecentEvents } from './overview/RecentEvents.tsx'
import { useChecklist } from './overview/use-checklist.ts'

/** The first page after signing in: the organization at a glance. */
export function OverviewPage() {
  const { slug } = useParams({ from: '/signed-in/$slug/overview' })
  return <Overview key={slug} slug={slug} viewer={useViewer()} />
}

/** While there is a checklist, what is still empty is left out: the checklist says how to begin. */
function Overview({ slug, viewer }: { slug: string; viewer: Viewer }) {
  const { data } = useSuspenseQuery(overviewQuery(slug))
  const { organization, user } = viewer
  const isAdmin = viewer.role === 'ADMIN'
  const checklist = useChecklist(user?.id ?? '', organization.id, stepsDone(viewer, data))
  const isBeginning = isAdmin && !checklist.isOver
  const { devices, apiKeys, auditEvents } = data
  return (
    <Page title="Overview" of={organization.name}>
      {isAdmin && <KeysHeld slug={slug} />}
      <Stack gap="lg">
        {isAdmin && <Checklist slug={slug} checklist={checklist} />}
        {!(isBeginning && devices.total === 0) && <DevicesSummary slug={slug} counts={devices} isAdmin={isAdmin} />}
        {apiKeys && !(isBeginning && apiKeys.active + apiKeys.expired === 0) && (
          <KeysSummary organization={organization} keys={apiKeys} />
        )}
        {auditEvents && <RecentEvents slug={slug} events={auditEvents} />}
      </Stack>
    </Page>
  )
}
