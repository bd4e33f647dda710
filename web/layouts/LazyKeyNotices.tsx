import { type ComponentType, useEffect, useState } from 'react'
import type { Viewer } from '../api/viewer.ts'

interface KeyNoticesProps {
  organization: Viewer['organization']
}

const DELAY_MS = 1_500
const RETRY_MS = 30_000

/** Their code and queries load after the page, so that nothing waits for them; without a connection, once there is one. */
export function LazyKeyNotices(props: KeyNoticesProps) {
  const [KeyNotices, setKeyNotices] = useState<ComponentType<KeyNoticesProps>>()
  useEffect(() => {
    const load = () =>
      import('./KeyNotices.tsx').then(
        ({ default: loaded }) => setKeyNotices(() => loaded),
        () => {
          timer = setTimeout(load, RETRY_MS)
        },
      )
    let timer = setTimeout(load, DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return KeyNotices && <KeyNotices {...props} />
}
