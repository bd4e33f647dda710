import { type LimitName, rateLimited } from '../config/limits.ts'
import { sourceOf } from '../lib/client-address.ts'
import type { Shared } from '../lib/limiter.ts'
import { createBackoff, LINKS_OF_SOURCE, LINKS_TO_RECIPIENT } from './backoff.ts'

/** Counts an email with a link that somebody requests; refuses when its recipient or its source exceeds the limit. */
export type CountMail = (email: string, address: string) => Promise<void>

export function createMailLimit(name: string, shared: Shared): CountMail {
  const countFrom = createBackoff(`${name}-from`, LINKS_OF_SOURCE, shared)
  const countTo = createBackoff(name, LINKS_TO_RECIPIENT, shared)

  return async (email, address) => {
    const fromSource = await countFrom(sourceOf(address))
    if (fromSource.waitMs > 0) throw tooOften('requested_links_of_source', fromSource.waitMs)
    const toAddress = await countTo(email)
    if (toAddress.waitMs > 0) throw tooOften('requested_links_to_recipient', toAddress.waitMs)
  }
}

const tooOften = (limit: LimitName, waitMs: number) =>
  rateLimited(
    limit,
    waitMs,
    'Too many links were requested. Check the mailbox, or try again after the time in Retry-After.',
  )
