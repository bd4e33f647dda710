import { Stack, Text } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useLocation, useParams, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import {
  type DeviceList,
  type DeviceSearch,
  deviceCountQuery,
  devicesQuery,
  isFiltered,
  MOST_COUNTED,
  PAGE_SIZE,
} from '../api/devices.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { Empty } from '../ui/Empty.tsx'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { Outdated } from '../ui/ShowMore.tsx'
import { CurlField, thisAccount } from './devices/CurlField.tsx'
import { DeviceActions, DeviceDialogs, type OpenDialog } from './devices/DeviceActions.tsx'
import { DeviceFilters } from './devices/DeviceFilters.tsx'
import { DevicePaging } from './devices/DevicePaging.tsx'
import { DeviceTable } from './devices/DeviceTable.tsx'
import { useDensity } from './devices/use-density.ts'
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
  const count = useCount(slug, shown, list)
  const selection = useSelection(shown)
  const density = useDensity()
  const [dialog, setDialog] = useState<OpenDialog>()
  const isAdmin = viewer.role === 'ADMIN'
  const isEmpty = list.data.length === 0
  const isFirstDay = isEmpty && !shown.after && !isFiltered(shown)
  return (
    <Page
      title="Devices"
      of={viewer.organization.name}
      actions={<DeviceActions isAdmin={isAdmin} onOpen={setDialog} />}
    >
      {!isFirstDay && (
        <DeviceFilters slug={slug} wanted={wanted} summary={deviceSummary(count, shown, earlier)} density={density} />
      )}
      <Outdated is={shown !== wanted}>
        {isEmpty ? (
          <NoDevices wanted={shown} viewer={viewer} />
        ) : (
          <DeviceTable
            devices={list.data}
            slug={slug}
            isAdmin={isAdmin}
            wanted={shown}
            selection={selection}
            isCompact={density.isCompact}
          />
        )}
        <DevicePaging slug={slug} wanted={shown} list={list} earlier={earlier} />
      </Outdated>
      {selection.isUsed && (
        <DeviceSelection
          slug={slug}
          wanted={shown}
          list={list}
          count={'exact' in count ? count.exact : undefined}
          selected={selection.selected}
          onSelect={selection.select}
          onClose={selection.clear}
        />
      )}
      <DeviceDialogs dialog={dialog} slug={slug} wanted={shown} onClose={() => setDialog(undefined)} />
    </Page>
  )
}

type Count = { exact: number } | { moreThan: number }

/** How many there are: a list of one page tells it, others are counted. A page of more is all that is known until they are. */
function useCount(slug: string, wanted: DeviceSearch, { data, pageInfo }: DeviceList): Count {
  const isWhole = !wanted.after && !pageInfo.hasNextPage
  const { data: counted } = useQuery({ ...deviceCountQuery(slug, wanted), enabled: !isWhole })
  if (isWhole) return { exact: data.length }
  if (counted === undefined) return { moreThan: PAGE_SIZE }
  return isFiltered(wanted) && counted > MOST_COUNTED ? { moreThan: MOST_COUNTED } : { exact: counted }
}

/** How many there are, and which page it is. */
function deviceSummary(count: Count, wanted: DeviceSearch, earlier: string[] | undefined): string {
  const isOne = 'exact' in count && count.exact === 1
  const number = 'exact' in count ? count.exact.toLocaleString() : `More than ${count.moreThan.toLocaleString()}`
  const devices = `${number} ${isOne ? 'device' : 'devices'}`
  const found = isFiltered(wanted) ? `${devices} ${isOne ? 'matches' : 'match'}` : devices
  return wanted.after && earlier ? `Page ${earlier.length + 2} · ${found}` : found
}

interface NoDevicesProps {
  wanted: DeviceSearch
  viewer: Viewer
}

/** An empty list says why it is empty, and what to do about it. */
function NoDevices({ wanted, viewer: { role, organization } }: NoDevicesProps) {
  if (isFiltered(wanted)) {
    return <Empty title="No device matches">Search finds a part of a name. A device must have all selected tags.</Empty>
  }
  if (wanted.after) return <Empty title="No more devices" />
  const isAdmin = role === 'ADMIN'
  return (
    <>
      <Empty title="No devices yet">
        Your edge devices appear here, with their location and last check-in.{' '}
        {isAdmin
          ? 'Add the first one, or import a file with all of them.'
          : 'Admins of this organization can add them.'}
      </Empty>
      {isAdmin && (
        <Stack maw="var(--width-text)" mx="auto">
          <CurlField label="Or add one from a script" mutation={CREATE} />
          <Text size="sm" c="dimmed">
            Set API_SECRET to an API key of {thisAccount(organization)}.
          </Text>
        </Stack>
      )}
    </>
  )
}

const CREATE = 'mutation { createDevice(input: { name: "press-7", tags: ["berlin"] }) { id } }'
