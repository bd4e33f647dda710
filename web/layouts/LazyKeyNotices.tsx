import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import type { Viewer } from '../api/viewer.ts'

interface KeyNoticesProps {
  organization: Viewer['organization']
}

const DELAY_MS = 1_500

/** If they cannot be loaded, the page works without them. */
const load = (): Promise<{ default: ComponentType<KeyNoticesProps> }> =>
  import('./KeyNotices.tsx').catch(() => ({ default: () => null }))

const KeyNotices = lazy(load)

/** Their code and queries load after the page, so that nothing waits for them. */
export function LazyKeyNotices(props: KeyNoticesProps) {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return <Suspense>{wanted && <KeyNotices {...props} />}</Suspense>
}
