import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { type Device, deviceQuery } from '../api/devices.ts'
import { useViewer } from '../api/viewer.ts'
import { DescriptionItem, DescriptionList } from '../components/DescriptionList.tsx'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageError.tsx'
import { useDeviceActions } from '../forms/devices/use-device-actions.ts'
import { paths } from '../paths.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { Time } from '../ui/Time.tsx'
import { CheckIn } from './devices/CheckIn.tsx'
import { CheckInHistory } from './devices/CheckInHistory.tsx'
import { DeviceChanges } from './devices/DeviceChanges.tsx'
import { DeviceStatus, DeviceTags } from './devices/DeviceTags.tsx'

const EditDevice = lazyDialog(() => import('../forms/devices/EditDevice.tsx'))
const DeleteDevice = lazyDialog(() => import('../forms/devices/DeleteDevice.tsx'))

/** All that is known of one device. */
export function DevicePage() {
  const { slug, id } = useParams({ from: '/signed-in/$slug/devices/$id' })
  const viewer = useViewer()
  const { data: device } = useSuspenseQuery(deviceQuery(slug, id))
  if (!device) return <PageMissing />
  return (
    <Page
      title={device.name}
      of={viewer.organization.name}
      back={
        <Anchor component={Link} to={paths.devices(slug)} inherit underline="always">
          All devices
        </Anchor>
      }
      actions={viewer.role === 'ADMIN' && <Actions slug={slug} device={device} />}
    >
      <DeviceDetails slug={slug} device={device} />
      <Stack gap="xl">
        <CheckInHistory days={device.checkInDays} />
        <CheckIn viewer={viewer} device={device} />
        {viewer.role === 'ADMIN' && <DeviceChanges key={id} slug={slug} device={device} />}
      </Stack>
    </Page>
  )
}

function Actions({ slug, device }: { slug: string; device: Device }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const { setEnabled } = useDeviceActions(slug)
  const close = () => setDialog(undefined)
  return (
    <>
      <Button variant="default" onClick={() => setDialog('delete')}>
        Delete
      </Button>
      <Button variant="default" onClick={() => setEnabled(device, !device.enabled)}>
        {device.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button onClick={() => setDialog('edit')}>Edit</Button>
      <Suspense>
        {dialog === 'edit' && <EditDevice slug={slug} id={device.id} onClose={close} />}
        {dialog === 'delete' && <DeleteDevice slug={slug} device={device} leaves onClose={close} />}
      </Suspense>
    </>
  )
}

/** The facts of a device, what is unknown included, so that it is seen to be unknown. */
function DeviceDetails({ slug, device }: { slug: string; device: Device }) {
  const { location } = device
  return (
    <DescriptionList>
      <DescriptionItem name="Status">
        <DeviceStatus status={device.status} />
      </DescriptionItem>
      <DescriptionItem name="Last seen">
        <Time at={device.lastSeenAt} />
      </DescriptionItem>
      <DescriptionItem name="Enabled">{device.enabled ? 'Yes' : 'No'}</DescriptionItem>
      <DescriptionItem name="Firmware">{device.firmwareVersion}</DescriptionItem>
      <DescriptionItem name="Location">{location?.name}</DescriptionItem>
      <DescriptionItem name="Address">{location?.address}</DescriptionItem>
      <DescriptionItem name="Coordinates">{coordinates(location)}</DescriptionItem>
      <DescriptionItem name="Time zone">{location?.timeZone}</DescriptionItem>
      <DescriptionItem name="Added">
        <Time at={device.createdAt} />
      </DescriptionItem>
      <DescriptionItem name="Updated">
        <Time at={device.updatedAt} />
      </DescriptionItem>
      <DescriptionItem name="ID" wide>
        <span className="mono">{device.id}</span>
      </DescriptionItem>
      <DescriptionItem name="Tags" wide>
        {device.tags.length > 0 && <DeviceTags slug={slug} tags={device.tags} />}
      </DescriptionItem>
      <DescriptionItem name="Description" wide>
        {device.description && <Text style={{ whiteSpace: 'pre-wrap' }}>{device.description}</Text>}
      </DescriptionItem>
    </DescriptionList>
  )
}

function coordinates(location: Device['location']): string | undefined {
  const { latitude = null, longitude = null } = location ?? {}
  if (latitude === null && longitude === null) return undefined
  return `${latitude ?? '—'}, ${longitude ?? '—'}`
}
