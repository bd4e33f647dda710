import { useQueryClient } from '@tanstack/react-query'
import { deleteDevice, updateDevice } from '../../api/devices.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'

interface Named {
  id: string
  name: string
  enabled: boolean
}

/** What an Admin can do with a device at once; lists and pages that show it follow. */
export function useDeviceActions(slug: string) {
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['devices', slug] })

  return {
    refresh,
    setEnabled: async ({ id, name }: Named, enabled: boolean) => {
      try {
        await updateDevice(slug, id, { enabled })
        await refresh()
        notifyDone(`${name} is ${enabled ? 'enabled' : 'disabled'}.`)
      } catch (error) {
        if (error instanceof Error) notifyError(error)
      }
    },
    /** Leaves the device's own page first, so that it does not ask for what is gone. */
    remove: async ({ id, name }: Named, leave?: () => Promise<void>) => {
      await deleteDevice(slug, id)
      await leave?.()
      queryClient.removeQueries({ queryKey: ['devices', slug, 'one', id] })
      await refresh()
      notifyDone(`${name} was deleted.`)
    },
  }
}
