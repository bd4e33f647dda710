import { AppError } from '../lib/app-error.ts'
import { sourceOf } from '../lib/client-address.ts'
import { DAY, MINUTE, SECOND } from '../lib/clock.ts'
import type { Shared } from '../lib/limiter.ts'
import { type BackoffRule, createBackoff } from './backoff.ts'

/** Three emails, then one every 20 minutes. */
const TO_ADDRESS: BackoffRule = { waitsMs: [0, 0, 20 * MINUTE], forgottenAfterMs: DAY }
/** Ten emails, then one every 6 minutes. */
const FROM_SOURCE: BackoffRule = { waitsMs: [...Array<number>(9).fill(0), 6 * MINUTE], forgottenAfterMs: DAY }

/** Counts an email with a link that somebody requests; refuses when its recipient or its source exceeds the limit. */
export type CountMail = (email: string, address: string) => Promise<void>

export function createMailLimit(name: string, shared: Shared): CountMail {
  const countFrom = createBackoff(`${name}-from`, FROM_SOURCE, shared)
  const countTo = createBackoff(name, TO_ADDRESS, shared)

  return async (email, address) => {
    const fromSource = await countFrom(sourceOf(address))
    if (fromSource.waitMs > 0) throw tooOften(fromSource.waitMs)
    const toAddress = await countTo(email)
    if (toAddress.waitMs > 0) throw tooOften(toAddress.waitMs)
  }
}

const tooOften = (waitMs: number) =>
  new AppError('RATE_LIMITED', {
    message: 'Too many links were requested. Check the mailbox, or try again after the time in Retry-After.',
    retryAfterSeconds: Math.ceil(waitMs / SECOND),
  })
