import { Alert } from '@mantine/core'
import { useEffect } from 'react'
import { isReachable, useAnswers } from '../api/reach.ts'

const CHECK_EVERY_MS = 5_000

/** Shown while the portal does not respond. */
export function Offline() {
  const answers = useAnswers()
  useEffect(() => {
    const look = () => void isReachable()
    const timer = answers ? undefined : setInterval(look, CHECK_EVERY_MS)
    for (const event of ['online', 'offline']) window.addEventListener(event, look) // a hint to check, not proof
    return () => {
      clearInterval(timer)
      for (const event of ['online', 'offline']) window.removeEventListener(event, look)
    }
  }, [answers])
  if (answers) return null
  return (
    <Alert color="yellow" role="status" radius={0}>
      The portal is not responding. This page may be out of date, and nothing is saved until it is back.
    </Alert>
  )
}
