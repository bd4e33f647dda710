import { Alert, Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { isReachable, isReady, useAnswers } from '../api/reach.ts'
import { useSessionEnded } from '../api/session-end.ts'
import { paths } from '../paths.ts'
import { hasInput, watchInput } from '../ui/entered.ts'
import styles from './Offline.module.css'

const CHECK_EVERY_MS = 5_000

/** Shown while the portal does not respond, if some of the page's code did not arrive, or if the session ended on a form. */
export function Offline() {
  const answers = useAnswers()
  const isIncomplete = useIsIncomplete()
  const isSignedOut = useSessionEnded()
  useReloadAfterOutage(answers, isIncomplete)
  useEffect(() => {
    const check = () => void isReachable()
    const timer = answers ? undefined : setInterval(check, CHECK_EVERY_MS)
    for (const event of ['online', 'offline']) window.addEventListener(event, check) // a hint to check, not proof
    return () => {
      clearInterval(timer)
      for (const event of ['online', 'offline']) window.removeEventListener(event, check)
    }
  }, [answers])
  if (answers && !isIncomplete && !isSignedOut) return null
  return (
    <Alert color="warning" role="status" radius={0} className={styles['bar'] ?? ''} ref={trackHeight}>
      {!answers ? (
        'Can’t reach the portal. Retrying… This page may be out of date, and nothing can be saved until it’s back.'
      ) : isSignedOut ? (
        <SignInAgain />
      ) : (
        <>
          Some parts of this page did not load. Reload to use them.{' '}
          <Button variant="default" size="compact-sm" onClick={() => window.location.reload()}>
            Reload
          </Button>
        </>
      )}
    </Alert>
  )
}

/** In another tab, so that what was entered here stays. */
const SignInAgain = () => (
  <>
    Your session has expired. Sign in again in a new tab, then continue here: what you entered is still on this page.{' '}
    <Button variant="default" size="compact-sm" onClick={() => window.open(paths.signIn())}>
      Sign in
    </Button>
  </>
)

/** Whether code could not be loaded since the page was: some browsers try again only after a reload. */
function useIsIncomplete(): boolean {
  const [isIncomplete, setIncomplete] = useState(false)
  useEffect(() => {
    const note = () => void isReachable().then(() => setIncomplete(true))
    window.addEventListener('vite:preloadError', note)
    return () => window.removeEventListener('vite:preloadError', note)
  }, [])
  return isIncomplete
}

/** Loads an incomplete page again after an outage, unless something would be lost: then it has a button for that. */
function useReloadAfterOutage(answers: boolean, isIncomplete: boolean): void {
  const [wasOut, setWasOut] = useState(false)
  useEffect(watchInput, [])
  useEffect(() => {
    if (!answers) setWasOut(true)
    if (!answers || !isIncomplete || !wasOut) return
    const reload = async () => {
      if (!isUnsaved() && (await isReady()) && !isUnsaved()) window.location.reload()
    }
    void reload()
    const timer = setInterval(reload, CHECK_EVERY_MS)
    return () => clearInterval(timer)
  }, [answers, isIncomplete, wasOut])
}

/** Tells the styles how much of the screen the bar takes, so that it covers no dialog. */
function trackHeight(bar: HTMLDivElement) {
  const { style } = document.documentElement
  const observer = new ResizeObserver(() => style.setProperty('--bar-height', `${bar.offsetHeight}px`))
  observer.observe(bar)
  return () => {
    observer.disconnect()
    style.removeProperty('--bar-height')
  }
}

/** What a reload does not bring back: dialogs, which may show a secret for the only time, and notices of lost keys. */
const LOST_BY_RELOAD = '[role="dialog"]:not([data-in-address]), [data-unsaved]'

/** Whether a reload would lose something that was entered, or is shown. */
const isUnsaved = () => hasInput() || document.querySelector(LOST_BY_RELOAD) !== null
