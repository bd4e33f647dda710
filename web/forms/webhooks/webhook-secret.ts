import { lazy } from 'react'
import { ApiError } from '../../api/client.ts'
import { notLoaded } from '../../api/not-loaded.ts'

/** Loads the dialog that shows a secret. Await it before asking for one: a secret that cannot be shown is lost. */
export const loadWebhookSecret = () =>
  import('./WebhookSecret.tsx').catch(async () => {
    throw await notLoaded()
  })

export const WebhookSecret = lazy(loadWebhookSecret)

/** Where the answer with a secret was lost, the error says what to do about it too. */
export const withAdvice = (error: unknown, advice: string): unknown =>
  error instanceof ApiError && !error.isOutcomeKnown
    ? new ApiError(`${error.message} ${advice}`, { code: error.code, isOutcomeKnown: false })
    : error
