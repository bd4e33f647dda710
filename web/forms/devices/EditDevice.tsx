import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { deviceToEditQuery, updateDevice } from '../../api/devices.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { DeviceForm } from './DeviceForm.tsx'
import { changesOf, deviceValues } from './device-values.ts'
import { useDeviceActions } from './use-device-actions.ts'

/** Sends only what was changed in the form, so that what a script changes meanwhile stays. */
export default function EditDevice({ slug, id, onClose }: { slug: string; id: string; onClose: () => void }) {
  const { data: before, error } = useQuery(deviceToEditQuery(slug, id))
  const { refresh } = useDeviceActions(slug)
  useEffect(() => {
    if (!error) return
    notifyError(error)
    onClose()
  }, [error, onClose])
  if (!before) return null

  const save = async (values: FormData) => {
    const changes = changesOf(before, deviceValues(values))
    if (Object.keys(changes).length > 0) {
      const { name } = await updateDevice(slug, id, changes)
      notifyDone(`${name} was updated.`)
    }
    onClose()
    await refresh()
  }
  return <DeviceForm title="Edit device" submit="Save" device={before} onSubmit={save} onClose={onClose} />
}
