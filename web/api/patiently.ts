import { ApiError, isPassing } from './client.ts'

const SECOND_MS = 1_000
const LONGEST_WAIT_SECONDS = 60
const TRIES = 5

interface Patience {
  /** False where what was sent may have taken effect although its answer was lost: then only a refusal is tried again. */
  repeatable: boolean
  signal: AbortSignal
}

/** For a long row of calls: waits as long as the portal asks for and tries again, a few times. */
export async function patiently<Answer>(
  call: () => Promise<Answer>,
  { repeatable, signal }: Patience,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError) || tries === TRIES || !isWorthAnother(error, repeatable)) throw error
      await waited(error.retryAfterSeconds ?? tries, signal)
    }
  }
}

const isWorthAnother = (error: ApiError, repeatable: boolean) =>
  isPassing(error) &&
  (repeatable || error.code === 'RATE_LIMITED') &&
  (error.retryAfterSeconds ?? 0) <= LONGEST_WAIT_SECONDS

function waited(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * SECOND_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
