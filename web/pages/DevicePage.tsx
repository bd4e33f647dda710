import { Button } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { type Device, deviceQuery } from '../api/devices.ts'
import { useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageMissing.tsx'
import { useDeviceActions } from '../forms/devices/use-device-actions.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { CheckIn } from './devices/CheckIn.tsx'
import { DeviceDetails } from './devices/DeviceDetails.tsx'

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
      actions={viewer.role === 'ADMIN' && <Actions slug={slug} device={device} />}
    >
      <DeviceDetails slug={slug} device={device} />
      <CheckIn viewer={viewer} device={device} />
    </Page>
  )
}

function Actions({ slug, device }: { slug: string; device: Device }) {
  const [asked, setAsked] = useState<'edit' | 'delete'>()
  const { setEnabled } = useDeviceActions(slug)
  const close = () => setAsked(undefined)
  return (
    <>
      <Button variant="default" onClick={() => setAsked('delete')}>
        Delete
      </Button>
      <Button variant="default" onClick={() => setEnabled(device, !device.enabled)}>
        {device.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button onClick={() => setAsked('edit')}>Edit</Button>
      <Suspense>
        {asked === 'edit' && <EditDevice slug={slug} id={device.id} onClose={close} />}
        {asked === 'delete' && <DeleteDevice slug={slug} device={device} leaves onClose={close} />}
      </Suspense>
    </>
  )
}
