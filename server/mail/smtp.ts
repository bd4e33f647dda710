import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { SMTPPoolOptions } from 'nodemailer'
import type { SmtpAddress } from '../config/smtp-address.ts'
import { SECOND } from '../lib/clock.ts'
import { isOfThisMachine } from '../lib/host.ts'
import { within } from '../lib/within.ts'

const GIVE_UP_MS = 30 * SECOND
const IDLE_MS = SECOND
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
    this.name = 'DeliveryError'
    this.isServerAway = message === AWAY || message === UNSAFE
  }
}

export interface Mailer {
  /** Delivers an email to the mail server; returns once the server has accepted it. One at a time. */
  send(message: Message): Promise<void>
  close(): void
}

/** Sends over one connection, idle for a second at most. After 30 seconds it is closed, so that nothing is sent that is no longer waited for. */
export function createMailer(
  smtp: SmtpAddress,
  { giveUpMs = GIVE_UP_MS, idleMs = IDLE_MS }: { giveUpMs?: number; idleMs?: number } = {},
): Mailer {
  let pool: Awaited<ReturnType<typeof openPool>> | undefined

  function cut(): Error {
    pool?.cut()
    pool = undefined
    return Object.assign(new Error('The mail server took too long.'), { code: 'ETIMEDOUT' })
  }

  return {
    async send({ to, ...message }) {
      pool ??= await openPool(smtp, idleMs)
      const sent = pool.transport.sendMail({
        ...message,
        from: smtp.from,
        to: { name: '', address: to },
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      try {
        await within(giveUpMs, sent, cut)
      } catch (error) {
        throw new DeliveryError(wordsFor(error), error)
      }
    },
    close: () => pool?.transport.close(),
  }
}

async function openPool({ host, port, secure, login }: SmtpAddress, idleTimeout: number) {
  const { createTransport } = await import('nodemailer') // loaded only where there is something to send
  let socket: Socket | undefined
  const options: SMTPPoolOptions & { pool: true } = {
    pool: true,
    maxConnections: 1,
    maxRequeues: 1, // when a server closes the connection between two emails; not once the email itself has begun
    idleTimeout,
    host,
    port,
    secure,
    requireTLS: login !== undefined && !isOfThisMachine(host), // a password must not be readable on the network
    ...(login && { auth: { user: login.user, pass: login.password } }),
    getSocket: (_options, use) => {
      const connection = connect({ host, port })
      connection.on('error', () => {}) // whoever uses it hears of it
      connected(connection).then(
        () => use(null, { connection }),
        (error) => use(error),
      )
      socket = connection
    },
  }
  const transport = createTransport(options)
  return {
    transport,
    cut() {
      transport.close({ force: true }) // so that it is not tried once more
      socket?.destroy() // closing alone would let what is buffered go out
    },
  }
}

async function connected(socket: Socket): Promise<void> {
  const closed = once(socket, 'close').then(() => {
    throw new Error('The connection was closed.')
  })
  await Promise.race([once(socket, 'connect'), closed])
}

/** What an error means, for Admins: nothing about where the mail server is. */
export function wordsFor(error: unknown): string {
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
