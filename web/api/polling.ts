import { isPassing } from './client.ts'

const SECOND_MS = 1_000
const MAX_INTERVAL_MS = 120_000
const SLOWDOWN_ON_ERROR = 4

interface Polled {
  state: { status: string; error: Error | null }
}

/** How often a page refetches: less often while the portal has problems, and never before Retry-After. */
export const every =
  (ms: number) =>
  ({ state: { status, error } }: Polled): number => {
    if (status !== 'error' || !error || !isPassing(error)) return ms
    const wanted = (error.retryAfterSeconds ?? 0) * SECOND_MS
    return Math.max(ms, wanted, Math.min(ms * SLOWDOWN_ON_ERROR, MAX_INTERVAL_MS))
  }
