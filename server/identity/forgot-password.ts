import type { Actor } from '../caller/ctx.ts'
import type { Deps } from '../caller/deps.ts'
import { originOf } from '../config.ts'
import { AppError } from '../lib/app-error.ts'
import { checkEmail } from '../lib/check.ts'
import type { Encryption } from '../lib/encryption.ts'
import type { Shared } from '../lib/limiter.ts'
import { createMailLimit } from './backoff.ts'
import { createPasswordReset } from './password-reset.ts'

const MAX_IN_PROGRESS = 100

const FORGOTTEN: Actor = { kind: 'SYSTEM', id: null, name: 'forgotten password' }

export interface ForgotPassword {
  /** Sends a link for a new password. Neither the answer nor its timing reveals whether the address has an account. */
  ask(email: string, address: string): Promise<void>
  /** Waits for the emails that are being queued. */
  close(): Promise<void>
}

export function createForgotPassword(
  { config, database, now, log }: Deps,
  { emailEncryption, ...shared }: Shared & { emailEncryption: Encryption },
): ForgotPassword {
  const count = createMailLimit('forgot', shared)
  const inProgress = new Set<Promise<void>>()

  async function write(email: string, from: string): Promise<void> {
    try {
      await createPasswordReset(database, now(), email, {
        mail: { origin: originOf(config), encryption: emailEncryption },
        isShownToNobody: true,
        actor: FORGOTTEN,
        details: `asked for from ${from}`,
        ip: from,
      })
    } catch (error) {
      log.error({ err: error }, 'an email with a password reset link could not be queued')
    }
  }

  return {
    async ask(given, from) {
      const email = checkEmail('email', given)
      await count(email, from)
      if (inProgress.size >= MAX_IN_PROGRESS) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 })
      await database.ping()
      // Not awaited: only an existing account needs a write, which takes longer.
      const writing = write(email, from).finally(() => inProgress.delete(writing))
      inProgress.add(writing)
    },
    async close() {
      await Promise.all(inProgress)
    },
  }
}
