import type { Deps } from '../caller/deps.ts'
import type { SmtpAddress } from '../config/smtp-address.ts'
import type { EmailTable } from '../db/email-table.ts'
import { openInvitations } from '../db/open-invitations.ts'
import type { Db } from '../db/tables.ts'
import { SECOND } from '../lib/clock.ts'
import type { Encryption } from '../lib/encryption.ts'
import type { Log } from '../lib/log.ts'
import { within } from '../lib/within.ts'
import { claimEmail, expireEmail, noteDeliveryError, noteSent } from './email-queue.ts'
import { emailEncryptionOf } from './encrypted-links.ts'
import { createMailer, DeliveryError, type Mailer } from './smtp.ts'

export const EMAIL_WORKER_TIMES = { pollEveryMs: 2 * SECOND, closeWithinMs: 7 * SECOND }

/** Sends the queued emails. Every replica has a worker; an email is claimed by one of them at a time. */
export interface EmailWorker {
  deliver(): Promise<void>
  /** Claims no more emails. Waits for the one in progress, but not for ever: another worker then sends it again. */
  close(): Promise<void>
}

/** Checks the queue every two seconds; undefined: there is no mail server. */
export function startEmailWorker(deps: Deps, given: Partial<typeof EMAIL_WORKER_TIMES> = {}): EmailWorker | undefined {
  const { pollEveryMs, closeWithinMs } = { ...EMAIL_WORKER_TIMES, ...given }
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

  let isPolling = false
  const timer = setInterval(async () => {
    if (isPolling) return
    isPolling = true
    await deliver()
    isPolling = false
  }, pollEveryMs)
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

interface Dependencies {
  smtp: SmtpAddress
  mailer: Mailer
  encryption: Encryption
}

/** Delivers one email; returns whether to go on with the next. */
function createDelivery({ database, now, log }: Deps, { smtp, mailer, encryption }: Dependencies) {
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

/** One id for all attempts, so that a mail client shows a duplicate only once. */
const messageIdOf = (id: string, { from }: SmtpAddress) => `<${id}@${from.slice(from.indexOf('@') + 1)}>`

function logError(log: Log, { id, tries }: EmailTable, { message, cause }: DeliveryError): void {
  const reason = cause instanceof Error ? cause.message : undefined
  log.warn({ mail: id, tries, lastError: message, reason }, 'an email could not be sent; it will be tried again')
}

/** Whether the link in an email still works: otherwise the email is not sent (C13). */
async function isLinkValid(db: Db, { kind, linkHash }: EmailTable, now: number): Promise<boolean> {
  if (linkHash === null) return true
  switch (kind) {
    case 'INVITATION':
      return exists(openInvitations(db, now).select('id').where('tokenHash', '=', linkHash))
    case 'PASSWORD_RESET':
      return exists(db.selectFrom('passwordReset').select('id').where('tokenHash', '=', linkHash))
    case 'EMAIL_VERIFICATION':
      return exists(db.selectFrom('emailVerification').select('id').where('tokenHash', '=', linkHash))
    case 'KEY_EXPIRY':
    case 'KEY_LEAKED':
    case 'CANARY_KEY':
    case 'DATABASE_RESTORED':
    case 'WEBHOOK_PAUSED':
      return true
  }
}

const exists = async (query: { executeTakeFirst(): Promise<unknown> }) => (await query.executeTakeFirst()) !== undefined
