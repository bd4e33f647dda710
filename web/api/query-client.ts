import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, isPassing } from './client.ts'

const TRIES = 2
const SECOND_MS = 1_000
const LONGEST_WAIT_SECONDS = 5

/**
 * Data is fresh for a moment, kept while its page is open, and asked for again when the window is looked at. The portal is
 * asked whatever the browser thinks of its network: on a machine without one, the portal may still be there.
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 2_000, networkMode: 'always', retry: isWorthAnother, retryDelay: delayBefore },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** Not where the portal asks for a long wait: whoever looks at the page is told. */
const isWorthAnother = (count: number, error: Error) =>
  count < TRIES && isPassing(error) && (error.retryAfterSeconds ?? 0) <= LONGEST_WAIT_SECONDS

const delayBefore = (count: number, error: Error) =>
  Math.max(SECOND_MS * 2 ** count, (error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0) * SECOND_MS)
