import { ActionIcon, Menu } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { ListedDevice } from '../../api/devices.ts'
import { useDeviceActions } from '../../forms/devices/use-device-actions.ts'
import { DotsIcon } from '../../ui/icons.tsx'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'

const EditDevice = lazyDialog(() => import('../../forms/devices/EditDevice.tsx'))
const DeleteDevice = lazyDialog(() => import('../../forms/devices/DeleteDevice.tsx'))

/** What an Admin can do with a device of the list. */
export function DeviceMenu({ device, slug }: { device: ListedDevice; slug: string }) {
  const [asked, setAsked] = useState<'edit' | 'delete'>()
  const { setEnabled } = useDeviceActions(slug)
  const close = () => setAsked(undefined)
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Actions for ${device.name}`}>
            <DotsIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsked('edit')}>Edit</Menu.Item>
          <Menu.Item onClick={() => setEnabled(device, !device.enabled)}>
            {device.enabled ? 'Disable' : 'Enable'}
          </Menu.Item>
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setAsked('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {asked === 'edit' && <EditDevice slug={slug} id={device.id} onClose={close} />}
        {asked === 'delete' && <DeleteDevice slug={slug} device={device} onClose={close} />}
      </Suspense>
    </>
  )
}
