import { Button } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useLocation, useParams, useSearch } from '@tanstack/react-router'
import { Suspense, useDeferredValue, useState } from 'react'
import { devicesQuery, isFiltered } from '../api/devices.ts'
import { useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { Outdated } from '../ui/Outdated.tsx'
import { DeviceFilters } from './devices/DeviceFilters.tsx'
import { DevicePaging } from './devices/DevicePaging.tsx'
import { DeviceTable } from './devices/DeviceTable.tsx'
import { deviceSummary } from './devices/device-summary.ts'
import { NoDevices } from './devices/NoDevices.tsx'

const AddDevice = lazyDialog(() => import('../forms/devices/AddDevice.tsx'))

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
  const [adding, setAdding] = useState(false)
  const isAdmin = viewer.role === 'ADMIN'
  const isEmpty = list.data.length === 0
  const isFirstDay = isEmpty && !shown.after && !isFiltered(shown)
  const add = isAdmin && <Button onClick={() => setAdding(true)}>Add device</Button>
  return (
    <Page title="Devices" of={viewer.organization.name} actions={!isFirstDay && add}>
      {!isFirstDay && (
        <DeviceFilters wanted={wanted} devices={list.data} summary={deviceSummary(list, shown, earlier)} />
      )}
      <Outdated is={shown !== wanted}>
        {isEmpty ? (
          <NoDevices wanted={shown} add={add} />
        ) : (
          <DeviceTable devices={list.data} slug={slug} isAdmin={isAdmin} />
        )}
        <DevicePaging slug={slug} wanted={shown} list={list} earlier={earlier} />
      </Outdated>
      <Suspense>{adding && <AddDevice slug={slug} onClose={() => setAdding(false)} />}</Suspense>
    </Page>
  )
}
