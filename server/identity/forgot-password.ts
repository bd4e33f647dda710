import { originOf } from '../config.ts'
import type { Actor } from '../ctx.ts'
import type { Deps } from '../deps.ts'
import { checkEmail } from '../lib/check.ts'
import { Failure } from '../lib/failure.ts'
import type { Seal } from '../lib/seal.ts'
import type { Valkey } from '../lib/valkey.ts'
import { createMailLimit } from './mail-limits.ts'
import { createPasswordReset } from './password-reset.ts'

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
  const count = createMailLimit('forgot', { now, valkey })
  const underWay = new Set<Promise<void>>()

  async function write(email: string, from: string): Promise<void> {
    try {
      await createPasswordReset(database, now(), email, {
        mail: { origin: originOf(config), seal: mailSeal },
        isShownToNobody: true,
        actor: FORGOTTEN,
        details: `asked for from ${from}`,
      })
    } catch (error) {
      log.error({ err: error }, 'a letter with a link for a new password could not be written')
    }
  }

  return {
    async ask(given, from) {
      const email = checkEmail('email', given)
      await count(email, from)
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
