import { isIP } from 'node:net'
import { about, insertEvent } from '../audit/audit-event.ts'
import type { Actor } from '../caller/ctx.ts'
import type { Deps } from '../caller/deps.ts'
import { failedSignIns } from '../config/counts.ts'
import { isOverBudget } from '../db/byte-budgets.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { userByEmail } from '../users/create-user.ts'
import type { FailedAttempt } from './throttle.ts'

/** At most one entry in this time for one account and source. */
export const RECORDED_EVERY_MS = 15 * MINUTE
export const RECORD_AFTER_MS = 5 * SECOND
const MAX_PENDING = 10_000

const SOMEBODY: Actor = { kind: 'SYSTEM', id: null, name: 'somebody' }

/** Failed attempts at one account from one source that are not recorded yet. */
interface Failures {
  email: string
  source: string
  wrong: number
  tooEarly: number
  recordedAt: number
}

export interface SignInFailures {
  note(email: string, source: string, what: FailedAttempt): void
  flush(): Promise<void>
  close(): Promise<void>
}

/**
 * Failed sign-ins, for the audit log of the person's own account: with their source and number, in batches, and written
 * after they were answered. So nobody can fill the log, and the timing of an answer does not reveal whether an account
 * exists. Addresses without an account are counted and logged with the source, not by name.
 */
export function createSignInFailures({
  database,
  now,
  log,
  signInFailuresFlushMs = RECORD_AFTER_MS,
}: Deps): SignInFailures {
  const pending = new Map<string, Failures>()
  const timer = setInterval(() => void flush(), signInFailuresFlushMs).unref()
  let flushing: Promise<void> = Promise.resolve()

  function note(email: string, source: string, what: FailedAttempt): void {
    const key = `${email} ${source}`
    const failures = pending.get(key) ?? { email, source, wrong: 0, tooEarly: 0, recordedAt: Number.NEGATIVE_INFINITY }
    if (what === 'wrong') failures.wrong++
    else failures.tooEarly++
    if (pending.has(key) || pending.size < MAX_PENDING) pending.set(key, failures)
    else failedSignIns.add('unrecorded')
  }

  /** One at a time, so that nothing is written twice. */
  function flush(waitMs = RECORDED_EVERY_MS): Promise<void> {
    flushing = flushing
      .then(() => record(waitMs))
      .catch((error) => log.error({ err: error }, 'failed sign-ins could not be recorded'))
    return flushing
  }

  async function record(waitMs: number): Promise<void> {
    const at = now()
    const unknown = new Map<string, { addresses: number; tries: number }>()
    for (const [key, failures] of pending) {
      if (Math.abs(at - failures.recordedAt) < waitMs) continue // the clock may have been set back
      const tries = failures.wrong + failures.tooEarly
      if (tries === 0) pending.delete(key)
      else if (!(await write(failures, at))) {
        const { source } = failures
        const counts = unknown.get(source) ?? { addresses: 0, tries: 0 }
        unknown.set(source, { addresses: counts.addresses + 1, tries: counts.tries + tries })
      }
    }
    for (const [source, counts] of unknown)
      log.info({ source, ...counts }, 'sign-in failed for addresses without an account')
  }

  /** Whether an account has the address. */
  async function write(failures: Failures, at: number): Promise<boolean> {
    const { email, source, wrong, tooEarly } = failures
    const user = await userByEmail(database.read, email)
    if (user) {
      const { name: subject, personalOrganizationId: organizationId } = user
      const event = {
        action: 'user.sign_in_failed',
        ...about('USER', user.id, subject),
        details: inWords(source, wrong, tooEarly),
        ip: isIP(source) === 0 ? undefined : source, // an IPv6 source is a network
      } as const
      await database
        .transaction((db) => insertEvent(db, at, { ...event, actor: SOMEBODY, organizationId, budget: 'NORMAL' }))
        .catch(unlessOverBudget) // so that guessing cannot fill the audit log
    }
    failedSignIns.add(user ? 'known' : 'unknown', wrong + tooEarly)
    Object.assign(failures, { wrong: failures.wrong - wrong, tooEarly: failures.tooEarly - tooEarly, recordedAt: at })
    return user !== undefined
  }

  return {
    note,
    flush: () => flush(),
    async close() {
      clearInterval(timer)
      await flush(0)
    },
  }
}

function unlessOverBudget(error: unknown): void {
  if (!isOverBudget(error)) throw error
}

const inWords = (source: string, wrong: number, tooEarly: number) =>
  `from ${source}: ${wrong} with a wrong password${tooEarly > 0 ? `, ${tooEarly} refused as too many` : ''}`
