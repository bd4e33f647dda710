import { useNavigate } from '@tanstack/react-router'
import { createDevice } from '../../api/devices.ts'
import { paths } from '../../paths.ts'
import { notifyDone } from '../../ui/notify.ts'
import { DeviceForm } from './DeviceForm.tsx'
import { deviceValues } from './device-values.ts'
import { useDeviceActions } from './use-device-actions.ts'

interface AddDeviceProps {
  slug: string
  onClose: () => void
  /** What to do in place of showing its page. */
  onAdded?: () => Promise<void>
}

/** Adds a device and shows its page, where its id and its first check-in are. */
export default function AddDevice({ slug, onClose, onAdded }: AddDeviceProps) {
  const navigate = useNavigate()
  const { refresh } = useDeviceActions(slug)
  const add = async (values: FormData) => {
    const device = await createDevice(slug, deviceValues(values))
    notifyDone(`${device.name} was added.`)
    onClose()
    await (onAdded?.() ?? navigate({ href: paths.device(slug, device.id) }))
    await refresh()
  }
  return <DeviceForm title="Add device" submit="Add device" onSubmit={add} onClose={onClose} />
}
