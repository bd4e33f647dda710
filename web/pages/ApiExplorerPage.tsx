import { Skeleton } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useViewer } from '../api/viewer.ts'
import { ApiLayout } from './api/ApiLayout.tsx'
import { ChooseCaller } from './api/ChooseCaller.tsx'

const Explorer = lazy(() => import('./api/Explorer.tsx'))

/** GraphiQL. A pasted key exists in the state of this page only: nothing stores it, and leaving the page forgets it. */
export function ApiExplorerPage() {
  const viewer = useViewer()
  const { slug, id } = viewer.organization
  const [secret, setSecret] = useState<string>()
  return (
    <ApiLayout title="API" viewer={viewer}>
      <ChooseCaller key={id} viewer={viewer} secret={secret} onSecret={setSecret} />
      <Suspense fallback={<Skeleton h={480} />}>
        <Explorer caller={secret === undefined ? { slug } : { secret }} slug={slug} />
      </Suspense>
    </ApiLayout>
  )
}
