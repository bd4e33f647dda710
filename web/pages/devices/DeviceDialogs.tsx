import { Suspense } from 'react'
import type { DeviceSearch } from '../../api/devices.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'

const AddDevice = lazyDialog(() => import('../../forms/devices/AddDevice.tsx'))
const ExportDevices = lazyDialog(() => import('../../forms/devices/ExportDevices.tsx'))
const ImportDevices = lazyDialog(() => import('../../forms/devices/import/ImportDevices.tsx'))

/** Which dialog of the list is open. */
export type Asked = 'add' | 'import' | 'csv' | 'json'

interface DeviceDialogsProps {
  asked: Asked | undefined
  slug: string
  wanted: DeviceSearch
  onClose: () => void
}

/** Loaded when they are wanted. */
export const DeviceDialogs = ({ asked, slug, wanted, onClose }: DeviceDialogsProps) => (
  <Suspense>
    {asked === 'add' && <AddDevice slug={slug} onClose={onClose} />}
    {asked === 'import' && <ImportDevices slug={slug} onClose={onClose} />}
    {(asked === 'csv' || asked === 'json') && (
      <ExportDevices slug={slug} wanted={wanted} format={asked} onClose={onClose} />
    )}
  </Suspense>
)
