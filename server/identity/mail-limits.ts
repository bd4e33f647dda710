import { AppError } from '../lib/app-error.ts'
import { type Clock, MINUTE, SECOND } from '../lib/clock.ts'
import type { Shared } from '../lib/leases/shared.ts'
import { sourceOf } from '../lib/source.ts'
import { backoffTogether } from './counted-backoff.ts'
import { createMemoryBackoff } from './login-backoff.ts'

/** Three emails, then one every 20 minutes; from one source ten, then one every 6 minutes. */
const WAITS_OF_ADDRESS_MS = [0, 0, 20 * MINUTE]
const WAITS_OF_SOURCE_MS = [...Array<number>(9).fill(0), 6 * MINUTE]

/** Counts an email with a link that somebody requests; refuses when its recipient or its source exceeds the limit. */
export type CountMail = (email: string, address: string) => Promise<void>

export function createMailLimit(name: string, { now, ...together }: Shared & { now: Clock }): CountMail {
  const countSource = counter(`${name}-from`, WAITS_OF_SOURCE_MS)
  const countAddress = counter(name, WAITS_OF_ADDRESS_MS)

  /** For all processes on one Valkey or all workers; for this process without either, and while it is unavailable. */
  function counter(of: string, waitsMs: number[]) {
    const own = createMemoryBackoff(now, { waitsMs })
    const shared = backoffTogether(together, of, { waitsMs })
    return async (who: string) => (await shared?.count(who).catch(() => undefined)) ?? own.count(who)
  }

  return async (email, address) => {
    const waitMs = (await countSource(sourceOf(address))) || (await countAddress(email))
    if (waitMs > 0) throw tooOften(waitMs)
  }
}

const tooOften = (waitMs: number) =>
  new AppError('RATE_LIMITED', {
    message: 'Too many links were requested. Check the mailbox, or try again after the time in Retry-After.',
    retryAfterSeconds: Math.ceil(waitMs / SECOND),
  })
