import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { DeviceSearch, ListedDevice } from '../../api/devices.ts'
import { useDeviceActions } from '../../forms/devices/use-device-actions.ts'
import { Icon } from '../../ui/Icon.tsx'
import {
  IconChevronDown,
  IconDots,
  IconDownload,
  IconPencil,
  IconPlus,
  IconTrash,
  IconUpload,
} from '../../ui/icons/icons.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'

interface DeviceActionsProps {
  isAdmin: boolean
  onOpen: (dialog: OpenDialog) => void
}

/**
 * What can be done with the list as a whole: add to it, take it along. The same whether it is empty or not: a button
 * that goes when the first device is there would lose the focus that a dialog returned.
 */
export function DeviceActions({ isAdmin, onOpen }: DeviceActionsProps) {
  return (
    <>
      <MenuButton
        position="bottom-end"
        button={
          <Button variant="default" rightSection={<Icon of={IconChevronDown} />}>
            {isAdmin ? 'Import and export' : 'Export'}
          </Button>
        }
        entries={[
          ...(isAdmin ? [{ label: 'Import', icon: IconUpload, act: () => onOpen('import') }, 'line' as const] : []),
          { label: 'Export as CSV', icon: IconDownload, act: () => onOpen('csv') },
          { label: 'Export as JSON', icon: IconDownload, act: () => onOpen('json') },
        ]}
      />
      {isAdmin && (
        <Button leftSection={<Icon of={IconPlus} />} onClick={() => onOpen('add')}>
          Add device
        </Button>
      )}
    </>
  )
}

const AddDevice = lazyDialog(() => import('../../forms/devices/AddDevice.tsx'))
const ExportDevices = lazyDialog(() => import('../../forms/devices/ExportDevices.tsx'))
const ImportDevices = lazyDialog(() => import('../../forms/devices/import/ImportDevices.tsx'))

/** Which dialog of the list is open. */
export type OpenDialog = 'add' | 'import' | 'csv' | 'json'

interface DeviceDialogsProps {
  dialog: OpenDialog | undefined
  slug: string
  wanted: DeviceSearch
  onClose: () => void
}

/** Loaded when they are wanted. */
export const DeviceDialogs = ({ dialog, slug, wanted, onClose }: DeviceDialogsProps) => (
  <Suspense>
    {dialog === 'add' && <AddDevice slug={slug} onClose={onClose} />}
    {dialog === 'import' && <ImportDevices slug={slug} onClose={onClose} />}
    {(dialog === 'csv' || dialog === 'json') && (
      <ExportDevices slug={slug} wanted={wanted} format={dialog} onClose={onClose} />
    )}
  </Suspense>
)

const EditDevice = lazyDialog(() => import('../../forms/devices/EditDevice.tsx'))
const DeleteDevice = lazyDialog(() => import('../../forms/devices/DeleteDevice.tsx'))

/** What an Admin can do with a device of the list. */
export function DeviceMenu({ device, slug }: { device: ListedDevice; slug: string }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const { setEnabled } = useDeviceActions(slug)
  const close = () => setDialog(undefined)
  return (
    <>
      <MenuButton
        position="bottom-end"
        button={
          <Button
            variant="subtle"
            color="neutral"
            size="compact-md"
            px="var(--space-1)"
            aria-label={`Actions for ${device.name}`}
          >
            <Icon of={IconDots} />
          </Button>
        }
        entries={[
          { label: 'Edit', icon: IconPencil, act: () => setDialog('edit') },
          { label: device.enabled ? 'Disable' : 'Enable', act: () => setEnabled(device, !device.enabled) },
          { label: 'Delete', icon: IconTrash, act: () => setDialog('delete'), danger: true },
        ]}
      />
      <Suspense>
        {dialog === 'edit' && <EditDevice slug={slug} id={device.id} onClose={close} />}
        {dialog === 'delete' && <DeleteDevice slug={slug} device={device} onClose={close} />}
      </Suspense>
    </>
  )
}
