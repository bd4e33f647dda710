import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'

const AddDevice = lazyDialog(() => import('../../forms/devices/AddDevice.tsx'))

/** Adds a device and stays on this page, where the next step is. */
export function AddFirstDevice({ slug }: { slug: string }) {
  const queryClient = useQueryClient()
  const [adding, setAdding] = useState(false)
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['overview', slug] })
  return (
    <>
      <Button onClick={() => setAdding(true)}>Add device</Button>
      <Suspense>{adding && <AddDevice slug={slug} onClose={() => setAdding(false)} onAdded={refresh} />}</Suspense>
    </>
  )
}
