import type { QueryClient } from '@tanstack/react-query'

/** Brings everything up to date that a revoke changes: the keys, those that are gone, and the people they had invited. */
export function refreshAfterRevoke(queryClient: QueryClient, slug: string): void {
  for (const what of ['api-keys', 'revoked-keys', 'users']) {
    void queryClient.invalidateQueries({ queryKey: [what, slug] })
  }
}
