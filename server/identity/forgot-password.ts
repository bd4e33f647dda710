import { originOf } from '../config.ts'
import type { Actor } from '../ctx.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../lib/app-error.ts'
import { checkEmail } from '../lib/check.ts'
import type { Encryption } from '../lib/encryption.ts'
import type { Shared } from '../lib/leases/shared.ts'
import { createMailLimit } from './mail-limits.ts'
import { createPasswordReset } from './password-reset.ts'

const MAX_IN_PROGRESS = 100

const FORGOTTEN: Actor = { kind: 'SYSTEM', id: null, name: 'forgotten password' }

export interface ForgotPassword {
  /**
   * Sends a link for a new password to this address. Neither the answer nor its timing reveals whether it has an
   * account.
   */
  ask(email: string, address: string): Promise<void>
  /** Waits for the emails that are being queued. */
  close(): Promise<void>
}

export function createForgotPassword(
  { config, database, now, log }: Deps,
  { emailEncryption, ...together }: Shared & { emailEncryption: Encryption },
): ForgotPassword {
  const count = createMailLimit('forgot', { now, ...together })
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
