import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, isPassing, onUnauthenticated } from './client.ts'
import { onReturn } from './reach.ts'
import { signedInAsQuery } from './session.ts'

const TRIES = 2
const FRESH_MS = 2_000
const SECOND_MS = 1_000
const LONGEST_WAIT_SECONDS = 5

interface OnUnauthenticated {
  signedOut(wasSignedIn: boolean): void
  /** Some data was loaded with the session. */
  signedIn(): void
  /** The response was to a request with a session that has been replaced: what failed by it is loaded again. */
  stillSignedIn(): void
}

/**
 * Data is fresh for a moment, and refetched when the window gets the focus. Requests are sent even if the browser believes
 * that it is offline: without a network, a portal on the same machine still responds. After an outage it is refetched.
 */
export function createQueryClient({ signedOut, signedIn, stillSignedIn }: OnUnauthenticated): QueryClient {
  let hasLoaded = false
  const onError = (error: Error) => {
    if (!isUnauthenticated(error)) return
    if (hasLoaded) void checkSession()
    else signedOut(false)
  }
  /** Changing the password replaces the session, also while another request is under way with the one before. */
  async function checkSession() {
    if ((await client.fetchQuery({ ...signedInAsQuery, staleTime: 0 }).catch(() => null)) === null)
      return signedOut(true)
    await client.refetchQueries({ predicate: ({ state }) => isUnauthenticated(state.error) })
    stillSignedIn()
  }
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError,
      onSuccess: (data) => {
        if (data === null) return // as of a session that is not there
        hasLoaded = true
        signedIn()
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: FRESH_MS, networkMode: 'always', retry: isWorthAnother, retryDelay: delayBefore },
      mutations: { networkMode: 'always', retry: false },
    },
  })
  onUnauthenticated(() => void checkSession())
  onReturn(
    () =>
      void client.refetchQueries({
        type: 'active',
        predicate: (query) => (query.isStale() || query.state.error !== null) && !isRateLimited(query.state.error),
      }),
  )
  return client
}

/** It is asked again after the time in Retry-After. */
const isRateLimited = (error: Error | null) => error instanceof ApiError && error.code === 'RATE_LIMITED'

const isUnauthenticated = (error: Error | null) => error instanceof ApiError && error.code === 'UNAUTHENTICATED'

/** Not if the portal asks for a long wait: the page shows the error instead. */
const isWorthAnother = (count: number, error: Error) =>
  count < TRIES && isPassing(error) && (error.retryAfterSeconds ?? 0) <= LONGEST_WAIT_SECONDS

const delayBefore = (count: number, error: Error) =>
  Math.max(SECOND_MS * 2 ** count, (error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0) * SECOND_MS)
