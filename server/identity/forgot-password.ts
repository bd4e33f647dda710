import { originOf } from '../config.ts'
import type { Actor } from '../ctx.ts'
import type { Deps } from '../deps.ts'
import { checkEmail } from '../lib/check.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import type { Seal } from '../lib/seal.ts'
import { sourceOf } from '../lib/source.ts'
import type { Valkey } from '../lib/valkey.ts'
import { createPasswordReset } from './password-reset.ts'
import { createSharedTries } from './shared-tries.ts'
import { createOwnTries } from './tries.ts'

/** Three letters, then one every 20 minutes; from one source ten, then one every 6 minutes. */
const WAITS_OF_ADDRESS_MS = [0, 0, 20 * MINUTE]
const WAITS_OF_SOURCE_MS = [...Array<number>(9).fill(0), 6 * MINUTE]
const MOST_UNDER_WAY = 100

const FORGOTTEN: Actor = { kind: 'SYSTEM', id: null, name: 'forgotten password' }

export interface ForgotPassword {
  /** Sends a link for a new password to whoever has this address. Neither the answer nor its time tells whether anybody has. */
  ask(email: string, address: string): Promise<void>
  /** Waits for the letters that are being written. */
  close(): Promise<void>
}

export function createForgotPassword(
  { config, database, now, log }: Deps,
  { mailSeal, valkey }: { mailSeal: Seal; valkey: Valkey | undefined },
): ForgotPassword {
  const count = { source: counter('forgot-from', WAITS_OF_SOURCE_MS), address: counter('forgot', WAITS_OF_ADDRESS_MS) }
  const underWay = new Set<Promise<void>>()

  /** For all processes on one Valkey together; for this process without one, and while it is away. */
  function counter(name: string, waitsMs: number[]) {
    const own = createOwnTries(now, { waitsMs })
    const shared = valkey && createSharedTries(valkey, name, { waitsMs })
    return async (who: string) => (await shared?.count(who).catch(() => undefined)) ?? own.count(who)
  }

  async function write(email: string, from: string): Promise<void> {
    try {
      const mail = { origin: originOf(config), seal: mailSeal }
      await createPasswordReset(database, now(), email, { mail, actor: FORGOTTEN, details: `asked for from ${from}` })
    } catch (error) {
      log.error({ err: error }, 'a letter with a link for a new password could not be written')
    }
  }

  return {
    async ask(given, from) {
      const email = checkEmail('email', given)
      const waitMs = (await count.source(sourceOf(from))) || (await count.address(email))
      if (waitMs > 0) throw tooOften(waitMs)
      if (underWay.size >= MOST_UNDER_WAY) throw new Failure('UNAVAILABLE', { retryAfterSeconds: 1 })
      await database.ping()
      // Not waited for: only for an account is there something to write, and that takes longer.
      const writing = write(email, from).finally(() => underWay.delete(writing))
      underWay.add(writing)
    },
    async close() {
      await Promise.all(underWay)
    },
  }
}

const tooOften = (waitMs: number) =>
  new Failure('RATE_LIMITED', {
    says: 'Too many links were asked for. Look into the mailbox, or wait as long as Retry-After says.',
    retryAfterSeconds: Math.ceil(waitMs / SECOND),
  })
