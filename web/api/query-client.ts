import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, isPassing } from './client.ts'

const TRIES = 2
const FRESH_MS = 2_000
const SECOND_MS = 1_000
const LONGEST_WAIT_SECONDS = 5

/**
 * Data is fresh for a moment, and refetched when the window gets the focus. Requests are sent even if the browser believes
 * that it is offline: without a network, a portal on the same machine still responds.
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: FRESH_MS, networkMode: 'always', retry: isWorthAnother, retryDelay: delayBefore },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** Not if the portal asks for a long wait: the page shows the error instead. */
const isWorthAnother = (count: number, error: Error) =>
  count < TRIES && isPassing(error) && (error.retryAfterSeconds ?? 0) <= LONGEST_WAIT_SECONDS

const delayBefore = (count: number, error: Error) =>
  Math.max(SECOND_MS * 2 ** count, (error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0) * SECOND_MS)
