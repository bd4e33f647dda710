import { Alert } from '@mantine/core'
import { useEffect } from 'react'
import { isReachable, useAnswers } from '../api/reach.ts'

const LOOK_AGAIN_MS = 5_000

/** Says that the portal does not answer, for as long as it does not. */
export function Offline() {
  const answers = useAnswers()
  useEffect(() => {
    const look = () => void isReachable()
    const timer = answers ? undefined : setInterval(look, LOOK_AGAIN_MS)
    for (const event of ['online', 'offline']) window.addEventListener(event, look) // a hint to look, not an answer
    return () => {
      clearInterval(timer)
      for (const event of ['online', 'offline']) window.removeEventListener(event, look)
    }
  }, [answers])
  if (answers) return null
  return (
    <Alert color="yellow" role="status" radius={0}>
      The portal does not answer. What you see may be old; nothing is saved until it is back.
    </Alert>
  )
}
