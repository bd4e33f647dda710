import { useSuspenseQuery } from '@tanstack/react-query'
import { useLocation, useParams, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { devicesQuery, isFiltered } from '../api/devices.ts'
import { useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { Outdated } from '../ui/Outdated.tsx'
import { DeviceActions } from './devices/DeviceActions.tsx'
import { type Asked, DeviceDialogs } from './devices/DeviceDialogs.tsx'
import { DeviceFilters } from './devices/DeviceFilters.tsx'
import { DevicePaging } from './devices/DevicePaging.tsx'
import { DeviceTable } from './devices/DeviceTable.tsx'
import { deviceSummary } from './devices/device-summary.ts'
import { NoDevices } from './devices/NoDevices.tsx'
import { useSelection } from './devices/use-selection.ts'

const DeviceSelection = lazyDialog(() => import('./devices/DeviceSelection.tsx'))

/** The fleet of an organization. */
export function DevicesPage() {
  const { slug } = useParams({ from: '/signed-in/$slug/devices' })
  return <Devices key={slug} slug={slug} />
}

/** While other devices are on their way, those in sight stay. */
function Devices({ slug }: { slug: string }) {
  const viewer = useViewer()
  const wanted = useSearch({ from: '/signed-in/$slug/devices' })
  const shown = useDeferredValue(wanted)
  const earlier = useDeferredValue(useLocation({ select: ({ state }) => state.earlier }))
  const { data: list } = useSuspenseQuery(devicesQuery(slug, shown))
  const selection = useSelection(shown)
  const [asked, setAsked] = useState<Asked>()
  const isAdmin = viewer.role === 'ADMIN'
  const isEmpty = list.data.length === 0
  const isFirstDay = isEmpty && !shown.after && !isFiltered(shown)
  return (
    <Page title="Devices" of={viewer.organization.name} actions={<DeviceActions isAdmin={isAdmin} onAsk={setAsked} />}>
      {!isFirstDay && (
        <DeviceFilters wanted={wanted} devices={list.data} summary={deviceSummary(list, shown, earlier)} />
      )}
      <Outdated is={shown !== wanted}>
        {isEmpty ? (
          <NoDevices wanted={shown} viewer={viewer} />
        ) : (
          <DeviceTable devices={list.data} slug={slug} isAdmin={isAdmin} wanted={shown} selection={selection} />
        )}
        <DevicePaging slug={slug} wanted={shown} list={list} earlier={earlier} />
      </Outdated>
      {selection.isUsed && (
        <DeviceSelection
          slug={slug}
          wanted={shown}
          list={list}
          selected={selection.selected}
          onSelect={selection.select}
          onClose={selection.clear}
        />
      )}
      <DeviceDialogs asked={asked} slug={slug} wanted={shown} onClose={() => setAsked(undefined)} />
    </Page>
  )
}
