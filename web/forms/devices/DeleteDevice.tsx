import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ListedDevice } from '../../api/devices.ts'
import { paths } from '../../paths.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { useDeviceActions } from './use-device-actions.ts'

interface DeleteDeviceProps {
  slug: string
  device: Pick<ListedDevice, 'id' | 'name' | 'enabled'>
  /** On the device's own page: go to the list afterwards. */
  leaves?: boolean
  onClose: () => void
}

/** On its own, so that it is loaded when it is wanted. */
export default function DeleteDevice({ slug, device, leaves = false, onClose }: DeleteDeviceProps) {
  const navigate = useNavigate()
  const { remove } = useDeviceActions(slug)
  const toList = () => navigate({ href: paths.devices(slug) })
  return (
    <ConfirmDialog
      title={`Delete ${device.name}?`}
      action="Delete device"
      onConfirm={() => remove(device, leaves ? toList : undefined)}
      onClose={onClose}
    >
      <Text>
        This permanently deletes {device.name}, and its check-ins will be refused. To keep it in the list, disable it
        instead.
      </Text>
    </ConfirmDialog>
  )
}
