import { lazy, Suspense, useEffect, useState } from 'react'
import { NOTICE } from '../ui/notify.ts'

const Notifications = lazy(async () => ({ default: (await import('@mantine/notifications')).Notifications }))
const AFTER_FIRST_LOAD_MS = 3_000

/** Where notices appear. Its code comes with the first one, or a moment after the page: nothing waits for it. */
export function Notices() {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    const want = () => setWanted(true)
    const timer = setTimeout(want, AFTER_FIRST_LOAD_MS)
    window.addEventListener(NOTICE, want)
    return () => {
      clearTimeout(timer)
      window.removeEventListener(NOTICE, want)
    }
  }, [])
  return <Suspense>{wanted && <Notifications position="bottom-right" />}</Suspense>
}
