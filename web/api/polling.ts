import { isPassing } from './client.ts'

const SECOND_MS = 1_000
const MOST_BETWEEN_MS = 120_000
const SLOWER_IN_TROUBLE = 4

interface Polled {
  state: { status: string; error: Error | null }
}

/** How often a page looks again: more seldom while the portal is in trouble, and not before it says. */
export const every =
  (ms: number) =>
  ({ state: { status, error } }: Polled): number => {
    if (status !== 'error' || !error || !isPassing(error)) return ms
    const wanted = (error.retryAfterSeconds ?? 0) * SECOND_MS
    return Math.max(ms, wanted, Math.min(ms * SLOWER_IN_TROUBLE, MOST_BETWEEN_MS))
  }
