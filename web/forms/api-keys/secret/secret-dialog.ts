import { lazy, useCallback, useEffect, useRef, useState } from 'react'
import type { GeneratedKey } from '../../../api/api-keys.ts'
import { notLoaded } from '../../../api/not-loaded.ts'
import { notifyLeft } from '../../../ui/notify.ts'

/** Loads the dialog that shows a secret. Await it before asking for one: a secret that cannot be shown is lost. */
export const loadSecretDialog = () =>
  import('./SecretDialog.tsx').catch(async () => {
    throw await notLoaded()
  })

export const SecretDialog = lazy(loadSecretDialog)

interface Shown {
  generated: GeneratedKey
  message?: string | undefined
}

/** The new key whose secret is shown. Whoever left the page before it arrived is told that nobody has seen it. */
export function useGenerated() {
  const [shown, setShown] = useState<Shown>()
  const isHere = useRef(false)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  const show = useCallback((generated: GeneratedKey, message?: string) => {
    if (isHere.current) setShown({ generated, message })
    else notifyLeft(() => unseen(generated.apiKey.label))
  }, [])
  return { shown, show, hide: () => setShown(undefined) }
}

const unseen = (label: string) =>
  `The key “${label}” was generated, but you left before its secret was shown. Rotate it to get a new secret, or revoke it.`
