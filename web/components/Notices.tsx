import { useEffect, useState } from 'react'
import { NOTICE } from '../ui/notify.ts'
import { PlainNotices } from './PlainNotices.tsx'

const load = () => import('@mantine/notifications')
const AFTER_FIRST_LOAD_MS = 3_000

/**
 * Where notices appear. Its code comes with the first one, or a moment after the page: nothing waits for it. When it
 * cannot be loaded they are shown plainly, and the next one tries again.
 */
export function Notices() {
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof load>>>()
  useEffect(() => {
    const want = () => void load().then(setLoaded, () => undefined)
    const timer = setTimeout(want, AFTER_FIRST_LOAD_MS)
    window.addEventListener(NOTICE, want)
    return () => {
      clearTimeout(timer)
      window.removeEventListener(NOTICE, want)
    }
  }, [])
  return (
    <>
      <PlainNotices />
      {loaded && <loaded.Notifications position="bottom-right" />}
    </>
  )
}
