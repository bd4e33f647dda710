import { lazy } from 'react'
import { notLoaded } from '../../api/not-loaded.ts'

/** Loads the dialog that shows a secret. Await it before asking for one: a secret that cannot be shown is lost. */
export const loadWebhookSecret = () =>
  import('./WebhookSecret.tsx').catch(async () => {
    throw await notLoaded()
  })

export const WebhookSecret = lazy(loadWebhookSecret)
