import { rateLimited } from '../config/limits.ts'
import type { Shared } from '../lib/limiter.ts'
import { createBackoff, SIGN_INS_OF_ACCOUNT, SIGN_INS_OF_SOURCE } from './backoff.ts'

const TOO_EARLY = 'Too many attempts with a wrong password. Wait for the time in Retry-After, then try again.'

/** Slows down guessing: at one account from one source, so that its owner signs in from elsewhere, and from one source anywhere. */
export interface Throttle {
  /** Runs one password check; undefined means that it was wrong. */
  attempt<Result>(email: string, source: string, work: () => Promise<Result | undefined>): Promise<Result | undefined>
}

export type FailedAttempt = 'wrong' | 'too early'

interface Options extends Shared {
  waitsMs?: readonly number[] | undefined
  sourceWaitsMs?: readonly number[] | undefined
  /** Called for every failed attempt, except those of a source that has to wait. */
  noteFailure?: (email: string, source: string, what: FailedAttempt) => void
}

export function createThrottle({
  waitsMs = SIGN_INS_OF_ACCOUNT.waitsMs,
  sourceWaitsMs = SIGN_INS_OF_SOURCE.waitsMs,
  noteFailure = () => {},
  ...shared
}: Options = {}): Throttle {
  const countOfAccount = createBackoff('sign-in', { ...SIGN_INS_OF_ACCOUNT, waitsMs }, shared)
  const countOfSource = createBackoff('sign-in-from', { ...SIGN_INS_OF_SOURCE, waitsMs: sourceWaitsMs }, shared)

  return {
    async attempt(email, source, work) {
      // Both before the slow work, so that many concurrent attempts do not slip past.
      const fromSource = await countOfSource(source)
      if (fromSource.waitMs > 0) throw rateLimited('sign_in_source', fromSource.waitMs, TOO_EARLY)
      const atAccount = await countOfAccount(`${email} ${source}`)
      if (atAccount.waitMs > 0) {
        await fromSource.giveBack()
        noteFailure(email, source, 'too early')
        throw rateLimited('sign_in_account', atAccount.waitMs, TOO_EARLY)
      }
      const result = await work().catch(async (error) => {
        await Promise.all([fromSource.giveBack(), atAccount.giveBack()])
        throw error
      })
      if (result === undefined) noteFailure(email, source, 'wrong')
      else await Promise.all([fromSource.giveBack(), atAccount.forget()])
      return result
    },
  }
}
