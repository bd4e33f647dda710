import { Skeleton } from '@mantine/core'
import { Suspense, useRef, useState } from 'react'
import { useViewer } from '../api/viewer.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ApiLayout } from './api/ApiLayout.tsx'
import { ChooseCaller } from './api/ChooseCaller.tsx'

const Explorer = lazyPart(() => import('./api/Explorer.tsx'))

/** GraphiQL. A pasted key exists in the state of this page only: nothing stores it, and leaving the page forgets it. */
export function ApiExplorerPage() {
  const viewer = useViewer()
  const { slug, id } = viewer.organization
  const [secret, setSecret] = useState<string>()
  const [isAskedFor, setAskedFor] = useState(false)
  const keyField = useRef<HTMLInputElement>(null)
  const change = (given: string | undefined) => {
    setAskedFor(false)
    setSecret(given)
  }
  const askForKey = () => {
    setAskedFor(true)
    keyField.current?.focus()
  }
  return (
    <ApiLayout title="API explorer" viewer={viewer}>
      <ChooseCaller key={id} {...{ viewer, secret, keyField, isAskedFor }} onSecret={change} />
      <Suspense fallback={<Skeleton h={480} />}>
        <Explorer caller={secret === undefined ? { slug } : { secret }} slug={slug} onKeyMissing={askForKey} />
      </Suspense>
    </ApiLayout>
  )
}
