import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'

const AddDevice = lazy(() => import('../../forms/devices/AddDevice.tsx'))

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
