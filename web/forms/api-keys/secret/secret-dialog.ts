import { lazy } from 'react'
import { notLoaded } from '../../../api/not-loaded.ts'

/** Loads the dialog that shows a secret. Await it before asking for one: a secret that cannot be shown is lost. */
export const loadSecretDialog = () =>
  import('./SecretDialog.tsx').catch(async () => {
    throw await notLoaded()
  })

export const SecretDialog = lazy(loadSecretDialog)
