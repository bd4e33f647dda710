import { hash } from 'node:crypto'
import { LIMITS, rateLimited } from '../config/limits.ts'
import { sourceOf } from '../lib/client-address.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { createCounter, type Shared } from '../lib/limiter.ts'

/** The maximum number of ids that may try now, and of those that have to wait. */
const MAX_IDS = 50_000

export interface BackoffRule {
  /** The wait after the first attempt, the second and so on. */
  waitsMs: readonly number[]
  /** How long after the first one all attempts are forgotten. */
  forgottenAfterMs: number
}

const seconds = (...list: number[]) => list.map((each) => each * SECOND)

/** The first attempts are free, then each has to wait. */
const afterFree = (attempts: number, waitsMs: readonly number[], forgottenAfterMs: number): BackoffRule => ({
  waitsMs: [...Array<number>(attempts - 1).fill(0), ...waitsMs],
  forgottenAfterMs,
})

const SIGN_IN_WAITS = seconds(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900)
/** At one account from one source: five are free, then a second doubles to a quarter of an hour. */
export const SIGN_INS_OF_ACCOUNT = afterFree(LIMITS.sign_in_account, SIGN_IN_WAITS, DAY)
/** From one source at any accounts: 50 in an hour, then a second doubles to a minute. */
export const SIGN_INS_OF_SOURCE = afterFree(LIMITS.sign_in_source, seconds(1, 2, 4, 8, 16, 32, 60), HOUR)
/** New accounts from one source: 20, then one every three minutes. */
export const SIGN_UPS = afterFree(LIMITS.sign_ups, [3 * MINUTE], DAY)
/** Links to one recipient: three, then one every 20 minutes. */
export const LINKS_TO_RECIPIENT = afterFree(LIMITS.requested_links_to_recipient, [20 * MINUTE], DAY)
/** Links that one source requests: ten, then one every six minutes. */
export const LINKS_OF_SOURCE = afterFree(LIMITS.requested_links_of_source, [6 * MINUTE], DAY)

/** An attempt that was counted, or that comes too early by `waitMs` and was not. */
export interface Attempt {
  waitMs: number
  /** It was neither right nor wrong. */
  giveBack(): Promise<void>
  forget(): Promise<void>
}

export type CountAttempt = (who: string) => Promise<Attempt>

/** Counts attempts, and once the free ones are used up those of the current wait, of which the first passes. */
export function createBackoff(name: string, { waitsMs, forgottenAfterMs }: BackoffRule, shared: Shared): CountAttempt {
  const counter = createCounter(name, forgottenAfterMs / SECOND, shared)
  const [unslowed, slowed] = [new Set<string>(), new Set<string>()] // separate, so that first attempts never evict those

  function remember(ids: Set<string>, id: string): void {
    ids.delete(id) // added again, so that the least recent comes first
    ids.add(id)
    const [oldest = ''] = ids.size > MAX_IDS ? ids : []
    if (ids.delete(oldest)) void counter.delete(oldest)
  }

  return async (who) => {
    const id = hash('sha256', who, 'base64url') // Valkey gets no addresses
    const idOfWait = `${id}-wait`
    const giveBack = async () => void (await counter.penalty(id, -1))
    const forgetWait = async () => void (await counter.delete(idOfWait))
    const forget = async () => void (await Promise.all([counter.delete(id), forgetWait()]))

    const { consumedPoints: attempts } = await counter.penalty(id, 1)
    const waitMs = waitsMs[Math.min(attempts, waitsMs.length) - 1] ?? 0
    remember(waitMs === 0 ? unslowed : slowed, id)
    if (waitMs === 0) return { waitMs, giveBack, forget }
    unslowed.delete(id)
    const inWait = await counter.penalty(idOfWait, 1, { customDuration: waitMs / SECOND })
    if (inWait.consumedPoints === 1)
      return { waitMs: 0, giveBack: async () => void (await Promise.all([giveBack(), forgetWait()])), forget }
    await giveBack()
    return { waitMs: Math.max(1, Math.min(inWait.msBeforeNext, waitMs)), giveBack, forget }
  }
}

const TOO_OFTEN = 'Too many links were requested. Check the mailbox, or try again after the time in Retry-After.'

/** Counts an email with a link that somebody requests; refuses when its recipient or its source exceeds the limit. */
export type CountMail = (email: string, address: string) => Promise<void>

export function createMailLimit(name: string, shared: Shared): CountMail {
  const countFrom = createBackoff(`${name}-from`, LINKS_OF_SOURCE, shared)
  const countTo = createBackoff(name, LINKS_TO_RECIPIENT, shared)

  return async (email, address) => {
    const fromSource = await countFrom(sourceOf(address))
    if (fromSource.waitMs > 0) throw rateLimited('requested_links_of_source', fromSource.waitMs, TOO_OFTEN)
    const toAddress = await countTo(email)
    if (toAddress.waitMs > 0) throw rateLimited('requested_links_to_recipient', toAddress.waitMs, TOO_OFTEN)
  }
}
