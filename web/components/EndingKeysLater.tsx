import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import type { Viewer } from '../api/viewer.ts'

interface EndingKeysProps {
  organization: Viewer['organization']
}

const AFTER_THE_PAGE_MS = 1_500

/** What cannot be loaded is not missed: the page goes on without it. */
const load = (): Promise<{ default: ComponentType<EndingKeysProps> }> =>
  import('./EndingKeys.tsx').catch(() => ({ default: () => null }))

const EndingKeys = lazy(load)

/** The code and the question come after the page: nothing waits for them. */
export function EndingKeysLater(props: EndingKeysProps) {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), AFTER_THE_PAGE_MS)
    return () => clearTimeout(timer)
  }, [])
  return <Suspense>{wanted && <EndingKeys {...props} />}</Suspense>
}
