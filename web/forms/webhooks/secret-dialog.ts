import { lazy } from 'react'
import { unreachable } from '../../api/client.ts'

/** Loads the dialog that shows a secret. Await it before asking for one: a secret that cannot be shown is lost. */
export const loadWebhookSecret = () =>
  import('./WebhookSecret.tsx').catch(() => {
    throw unreachable()
  })

export const WebhookSecret = lazy(loadWebhookSecret)
