import { useEffect, useState } from 'react'
import { NOTICE } from '../ui/notify.ts'
import { PlainNotices } from './PlainNotices.tsx'

const load = () => import('@mantine/notifications')
const FIRST_INPUT = ['pointerdown', 'keydown']

/**
 * Where notices appear. Its code comes with the first one, or as soon as somebody begins to do something: most notices
 * are about that. When it cannot be loaded they are shown plainly, and the next one tries again.
 */
export function Notices() {
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof load>>>()
  useEffect(() => {
    const want = () => void load().then(setLoaded, () => undefined)
    window.addEventListener(NOTICE, want)
    for (const event of FIRST_INPUT) window.addEventListener(event, want, { once: true })
    return () => {
      for (const event of [NOTICE, ...FIRST_INPUT]) window.removeEventListener(event, want)
    }
  }, [])
  return (
    <>
      <PlainNotices />
      {loaded && <loaded.Notifications position="bottom-right" />}
    </>
  )
}
