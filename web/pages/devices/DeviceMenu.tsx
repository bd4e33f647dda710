import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { ListedDevice } from '../../api/devices.ts'
import { useDeviceActions } from '../../forms/devices/use-device-actions.ts'
import { DotsIcon } from '../../ui/icons.tsx'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'

const EditDevice = lazyDialog(() => import('../../forms/devices/EditDevice.tsx'))
const DeleteDevice = lazyDialog(() => import('../../forms/devices/DeleteDevice.tsx'))

/** What an Admin can do with a device of the list. */
export function DeviceMenu({ device, slug }: { device: ListedDevice; slug: string }) {
  const [asked, setAsked] = useState<'edit' | 'delete'>()
  const { setEnabled } = useDeviceActions(slug)
  const close = () => setAsked(undefined)
  return (
    <>
      <MenuButton
        position="bottom-end"
        width={160}
        button={
          <Button variant="subtle" color="gray" size="compact-md" px={5} aria-label={`Actions for ${device.name}`}>
            <DotsIcon />
          </Button>
        }
        entries={[
          { label: 'Edit', act: () => setAsked('edit') },
          { label: device.enabled ? 'Disable' : 'Enable', act: () => setEnabled(device, !device.enabled) },
          { label: 'Delete', act: () => setAsked('delete'), danger: true },
        ]}
      />
      <Suspense>
        {asked === 'edit' && <EditDevice slug={slug} id={device.id} onClose={close} />}
        {asked === 'delete' && <DeleteDevice slug={slug} device={device} onClose={close} />}
      </Suspense>
    </>
  )
}
