import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { SECOND } from '../lib/clock.ts'
import type { SmtpAddress } from '../lib/smtp-address.ts'

const GIVE_UP_MS = 30 * SECOND
const AWAY = 'The mail server does not answer.'
const UNSAFE = 'The mail server cannot be reached safely.'
const SAFETY = /ETLS|certificate|\bSSL\b|\bTLS\b/i

export interface Message {
  to: string
  subject: string
  text: string
  messageId: string
}

/** Why an email was not accepted, for Admins; it reveals nothing about where the mail server is. */
export class DeliveryError extends Error {
  /** Another email would not be accepted either. */
  readonly isServerAway: boolean

  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'NotTaken'
    this.isServerAway = message === AWAY || message === UNSAFE
  }
}

/**
 * Delivers an email to the mail server; returns once the server has accepted it. Closes the connection after 30
 * seconds, so that no email is sent that is no longer waited for.
 */
export async function sendBySmtp(smtp: SmtpAddress, { to, ...message }: Message, giveUpMs = GIVE_UP_MS): Promise<void> {
  const { createTransport } = await import('nodemailer') // loaded only when it is needed
  const { host, port, secure, login } = smtp
  const socket = connect({ host, port })
  socket.on('error', () => {}) // the caller gets the error
  const deadline = setTimeout(() => socket.destroy(), giveUpMs)
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: login !== undefined && !isOnThisMachine(host), // a password must not be readable on the network
    ...(login && { auth: { user: login.user, pass: login.password } }),
    getSocket: (_options, use) => {
      connected(socket).then(
        () => use(null, { connection: socket }),
        (error) => use(error),
      )
    },
  })
  try {
    await transport.sendMail({
      ...message,
      from: smtp.from,
      to: { name: '', address: to },
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  } catch (error) {
    throw new DeliveryError(wordsFor(error), error)
  } finally {
    clearTimeout(deadline)
    socket.destroy()
  }
}

async function connected(socket: Socket): Promise<void> {
  const closed = once(socket, 'close').then(() => {
    throw new Error('The connection was closed.')
  })
  await Promise.race([once(socket, 'connect'), closed])
}

const isOnThisMachine = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

function wordsFor(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return 'The email could not be sent.'
  const answer = 'responseCode' in error && error.responseCode ? ` with ${error.responseCode}` : ''
  if (!answer && SAFETY.test(`${error.code} ${error.message}`)) return UNSAFE
  switch (answer && error.code) {
    case 'EAUTH':
      return `The mail server refuses the portal${answer}.`
    case 'EENVELOPE':
    case 'EMESSAGE':
      return `The mail server refuses the email${answer}.`
    default:
      return answer ? `The mail server answers${answer}.` : AWAY
  }
}
