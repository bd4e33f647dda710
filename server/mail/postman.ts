import type { MailTable } from '../db/tables.ts'
import type { Deps } from '../deps.ts'
import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Seal } from '../lib/seal.ts'
import type { SmtpAddress } from '../lib/smtp-address.ts'
import { within } from '../lib/within.ts'
import { isLinkAlive } from './live-link.ts'
import { layAside, noteSent, noteTrouble, takeLetter } from './outbox.ts'
import { mailSealOf } from './sealed.ts'
import { NotTaken, sendBySmtp } from './smtp.ts'

export const POSTMAN_TIMES = { lookEveryMs: 2 * SECOND, closeWithinMs: 7 * SECOND }

/** Sends what is in the outbox. Every replica has one: a letter is taken by one of them at a time. */
export interface Postman {
  /** Sends all that is due now. */
  deliver(): Promise<void>
  /** Takes no more letters; waits for the one that is under way, but not for ever: who takes it over sends the same one. */
  close(): Promise<void>
}

/** Looks every two seconds; undefined: there is no mail server. */
export function startPostman(deps: Deps, given: Partial<typeof POSTMAN_TIMES> = {}): Postman | undefined {
  const { lookEveryMs, closeWithinMs } = { ...POSTMAN_TIMES, ...given }
  const { log, config } = deps
  const seal = mailSealOf(config)
  if (!config.smtp || !seal) return undefined
  const deliverNext = createDelivery(deps, config.smtp, seal)
  let isClosed = false
  let underWay = Promise.resolve()

  async function deliverAll(): Promise<void> {
    try {
      while (!isClosed && (await deliverNext()));
    } catch (error) {
      log.warn({ err: error }, 'the outbox could not be read or written; it will be tried again')
    }
  }

  function deliver(): Promise<void> {
    underWay = underWay.then(deliverAll)
    return underWay
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
      const late = () => new Error('A letter was under way for too long.')
      await within(closeWithinMs, underWay, late).catch((error) => log.warn({ err: error }, 'a letter is left behind'))
    },
  }
}

/** Delivers one letter; says whether to go on with the next. */
function createDelivery({ database, now, log }: Deps, smtp: SmtpAddress, seal: Seal) {
  return async (): Promise<boolean> => {
    const letter = await takeLetter(database, now())
    if (!letter) return false
    if (letter.usefulUntil <= now() || !(await isLinkAlive(database.read, letter, now()))) {
      await layAside(database, letter, now())
      return true
    }
    const trouble = await send(letter)
    if (!trouble) await noteSent(database, letter, now())
    else await noteTrouble(database, letter, now(), trouble.message)
    return !trouble?.isServerAway
  }

  async function send(letter: MailTable): Promise<NotTaken | undefined> {
    const { id, recipient: to, subject } = letter
    try {
      await sendBySmtp(smtp, { to, subject, text: openText(letter), messageId: messageIdOf(id, smtp) })
      return undefined
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error
      tellTrouble(log, letter, error)
      return error
    }
  }

  function openText({ id, text, sealed }: MailTable): string {
    try {
      return sealed === 1 ? seal.open(text, id) : text
    } catch (error) {
      throw new NotTaken('The letter cannot be opened: PORTAL_SECRET is not what it was when it was written.', error)
    }
  }
}

/** The same for every try, so that whoever gets a letter twice is shown it once. */
const messageIdOf = (id: string, { from }: SmtpAddress) => `<${id}@${from.slice(from.indexOf('@') + 1)}>`

/** What the server said is for whoever runs the machine. */
function tellTrouble(log: Log, { id, tries }: MailTable, { message, cause }: NotTaken): void {
  const reason = cause instanceof Error ? cause.message : undefined
  log.warn({ mail: id, tries, trouble: message, reason }, 'a letter could not be sent; it will be tried again')
}
