import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import type { Viewer } from '../api/viewer.ts'

interface ExpiringKeysProps {
  organization: Viewer['organization']
}

const DELAY_MS = 1_500

/** If it cannot be loaded, the page works without it. */
const load = (): Promise<{ default: ComponentType<ExpiringKeysProps> }> =>
  import('./ExpiringKeys.tsx').catch(() => ({ default: () => null }))

const ExpiringKeys = lazy(load)

/** Its code and query load after the page, so that nothing waits for them. */
export function LazyExpiringKeys(props: ExpiringKeysProps) {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return <Suspense>{wanted && <ExpiringKeys {...props} />}</Suspense>
}
