import { ApiError } from '../../api/client.ts'

/** Where the answer with a secret was lost, the error says what to do about it too. */
export const withAdvice = (error: unknown, advice: string): unknown =>
  error instanceof ApiError && !error.isOutcomeKnown
    ? new ApiError(`${error.message} ${advice}`, { code: error.code, isOutcomeKnown: false })
    : error
