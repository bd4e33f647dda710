import { Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { overviewQuery } from '../api/overview.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { KeysHeld } from '../components/KeysHeld.tsx'
import { Page } from '../components/Page.tsx'
import { Checklist } from './overview/Checklist.tsx'
import { DevicesSummary } from './overview/DevicesSummary.tsx'
import { KeysSummary } from './overview/KeysSummary.tsx'
import { RecentEvents } from './overview/RecentEvents.tsx'

/** The first page after signing in: the organization at a glance. */
export function OverviewPage() {
  const { slug } = useParams({ from: '/signed-in/$slug/overview' })
  return <Overview key={slug} slug={slug} viewer={useViewer()} />
}

function Overview({ slug, viewer }: { slug: string; viewer: Viewer }) {
  const [isAwaited, setAwaited] = useState(false)
  const { data } = useSuspenseQuery(overviewQuery(slug, { isAwaited }))
  const isAdmin = viewer.role === 'ADMIN'
  return (
    <Page title="Overview" of={viewer.organization.name}>
      {isAdmin && <KeysHeld slug={slug} />}
      <Stack gap="lg">
        {isAdmin && <Checklist viewer={viewer} overview={data} onAwait={setAwaited} />}
        <DevicesSummary slug={slug} counts={data.devices} isAdmin={isAdmin} />
        {data.apiKeys && <KeysSummary organization={viewer.organization} keys={data.apiKeys} />}
        {data.auditEvents && <RecentEvents slug={slug} events={data.auditEvents} />}
      </Stack>
    </Page>
  )
}
