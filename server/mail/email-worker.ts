import type { EmailTable } from '../db/email-table.ts'
import type { Deps } from '../deps.ts'
import { SECOND } from '../lib/clock.ts'
import type { Encryption } from '../lib/encryption.ts'
import type { Log } from '../lib/log.ts'
import type { SmtpAddress } from '../lib/smtp-address.ts'
import { within } from '../lib/within.ts'
import { claimEmail, expireEmail, noteDeliveryError, noteSent } from './email-queue.ts'
import { emailEncryptionOf } from './encrypted-links.ts'
import { isLinkValid } from './link.ts'
import { createMailer, DeliveryError, type Mailer } from './smtp.ts'

export const EMAIL_WORKER_TIMES = { lookEveryMs: 2 * SECOND, closeWithinMs: 7 * SECOND }

/** Sends the queued emails. Every replica has a worker; an email is claimed by one of them at a time. */
export interface EmailWorker {
  /** Sends everything that is due now. */
  deliver(): Promise<void>
  /**
   * Claims no more emails. Waits for the one in progress, but not for ever: another worker then sends the same email.
   */
  close(): Promise<void>
}

/** Checks the queue every two seconds; undefined: there is no mail server. */
export function startEmailWorker(deps: Deps, given: Partial<typeof EMAIL_WORKER_TIMES> = {}): EmailWorker | undefined {
  const { lookEveryMs, closeWithinMs } = { ...EMAIL_WORKER_TIMES, ...given }
  const { log, config } = deps
  const encryption = emailEncryptionOf(config)
  if (!config.smtp || !encryption) return undefined
  const mailer = createMailer(config.smtp)
  const deliverNext = createDelivery(deps, { smtp: config.smtp, mailer, encryption })
  let isClosed = false
  let inProgress = Promise.resolve()

  async function deliverAll(): Promise<void> {
    try {
      while (!isClosed && (await deliverNext()));
    } catch (error) {
      log.warn({ err: error }, 'the email queue could not be read or written; it will be tried again')
    }
  }

  function deliver(): Promise<void> {
    inProgress = inProgress.then(deliverAll)
    return inProgress
  }

  let isLooking = false
  const timer = setInterval(async () => {
    if (isLooking) return
    isLooking = true
    await deliver()
    isLooking = false
  }, lookEveryMs)
  timer.unref()

  return {
    deliver,
    async close() {
      isClosed = true
      clearInterval(timer)
      const late = () => new Error('An email took too long to send.')
      await within(closeWithinMs, inProgress, late).catch((error) =>
        log.warn({ err: error }, 'an email is left in the queue'),
      )
      mailer.close()
    },
  }
}

interface Means {
  smtp: SmtpAddress
  mailer: Mailer
  encryption: Encryption
}

/** Delivers one email; returns whether to go on with the next. */
function createDelivery({ database, now, log }: Deps, { smtp, mailer, encryption }: Means) {
  return async (): Promise<boolean> => {
    const email = await claimEmail(database, now())
    if (!email) return false
    if (email.usefulUntil <= now() || !(await isLinkValid(database.read, email, now()))) {
      await expireEmail(database, email, now())
      return true
    }
    const lastError = await send(email)
    if (!lastError) await noteSent(database, email, now())
    else await noteDeliveryError(database, email, now(), lastError.message)
    return !lastError?.isServerAway
  }

  async function send(email: EmailTable): Promise<DeliveryError | undefined> {
    const { id, recipient: to, subject } = email
    try {
      await mailer.send({ to, subject, text: decryptText(email), messageId: messageIdOf(id, smtp) })
      return undefined
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      logError(log, email, error)
      return error
    }
  }

  function decryptText({ id, text, encrypted }: EmailTable): string {
    try {
      return encrypted === 1 ? encryption.decrypt(text, id) : text
    } catch (error) {
      throw new DeliveryError('The email cannot be decrypted: PORTAL_SECRET has changed since it was written.', error)
    }
  }
}

/** The same for every attempt, so that a mail client shows a duplicate only once. */
const messageIdOf = (id: string, { from }: SmtpAddress) => `<${id}@${from.slice(from.indexOf('@') + 1)}>`

/** The server's response is for the operator. */
function logError(log: Log, { id, tries }: EmailTable, { message, cause }: DeliveryError): void {
  const reason = cause instanceof Error ? cause.message : undefined
  log.warn({ mail: id, tries, lastError: message, reason }, 'an email could not be sent; it will be tried again')
}
