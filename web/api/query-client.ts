import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, isPassing } from './client.ts'

const TRIES = 2

/** Data is fresh for a moment, kept while its page is open, and asked for again when the window is looked at. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 2_000, retry: (count, error) => isPassing(error) && count < TRIES },
      mutations: { retry: false },
    },
  })
}
