import { SECOND } from '../lib/clock.ts'
import type { SmtpAddress } from '../lib/smtp-address.ts'
import { isOnThisMachine, wordsFor } from './smtp.ts'

const GIVE_UP_MS = 5 * SECOND

interface Tried {
  /** Why it does not accept the portal; undefined: it does. */
  error?: Error
  isEncrypted: boolean
}

/** Connects to the mail server, encrypts and signs in as for an email, and sends none. */
export async function tryMailServer({ host, port, secure, login }: SmtpAddress): Promise<Tried> {
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection') // loaded only where it is needed
  const connection = new SmtpConnection({
    host,
    port,
    secure,
    requireTLS: login !== undefined && !isOnThisMachine(host), // as for an email
    connectionTimeout: GIVE_UP_MS,
    greetingTimeout: GIVE_UP_MS,
    socketTimeout: GIVE_UP_MS,
    dnsTimeout: GIVE_UP_MS,
  })
  const failed = new Promise<never>((_resolve, reject) => connection.once('error', reject))
  failed.catch(() => {}) // it may also fail after the answer
  try {
    await Promise.race([failed, new Promise<void>((resolve) => connection.connect(() => resolve()))])
    const isEncrypted = connection.secure
    if (login) {
      const credentials = { user: login.user, pass: login.password }
      const signedIn = new Promise<void>((resolve, reject) =>
        connection.login({ credentials }, (error) => (error ? reject(error) : resolve())),
      )
      await Promise.race([failed, signedIn])
    }
    connection.quit()
    return { isEncrypted }
  } catch (error) {
    connection.close()
    return { error: new Error(wordsFor(error), { cause: error }), isEncrypted: false }
  }
}
