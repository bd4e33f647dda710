import type { SmtpAddress } from '../config/smtp-address.ts'
import { SECOND } from '../lib/clock.ts'
import { isOfThisMachine } from '../lib/host.ts'
import { valkeyAddress } from '../lib/valkey-address.ts'
import { wordsFor } from '../mail/smtp.ts'
import { type Found, failure, type Installation, orSuccess, success, warning } from './result.ts'

/** Whether the mail server accepts the portal: connects, encrypts and signs in as for an email, and sends none. */
export async function mail({ config: { smtp, baseUrl } }: Installation): Promise<Found> {
  if (!smtp) return success('SMTP_URL is not set: emails are stored and shown in the portal.')
  const { error, isEncrypted } = await tryMailServer(smtp)
  if (error)
    return failure(
      `${error.message} (${smtp.host}:${smtp.port})`,
      'Check SMTP_URL: host, port, user, password, and the certificate of the server.',
    )
  return orSuccess(
    [
      !isEncrypted &&
        !isOfThisMachine(smtp.host) &&
        warning(
          `Emails go to ${smtp.host} unencrypted, and some contain links that sign people in.`,
          'Use smtps://, or a server that offers STARTTLS.',
        ),
      !baseUrl &&
        warning('BASE_URL is not set: links in emails lead to this machine.', 'Set BASE_URL to the public address.'),
      smtp.from.endsWith('@localhost') &&
        warning(
          `Emails come from ${smtp.from}, which many mail servers refuse.`,
          'Add ?from=portal@example.com to SMTP_URL.',
        ),
    ],
    `${smtp.host} accepts the portal${isEncrypted ? ', encrypted' : ''}.`,
  )
}

const GIVE_UP_MS = 5 * SECOND

interface Tried {
  /** Why it does not accept the portal; undefined: it does. */
  error?: Error
  isEncrypted: boolean
}

/** Connects to the mail server, encrypts and signs in as for an email, and sends none. */
async function tryMailServer({ host, port, secure, login }: SmtpAddress): Promise<Tried> {
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection') // loaded only where it is needed
  const connection = new SmtpConnection({
    host,
    port,
    secure,
    requireTLS: login !== undefined && !isOfThisMachine(host), // as for an email
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

const OLDEST = 6
/** Whatever it deletes: a counter of a limit that is still counting. */
const EVICTS_ANY = /^allkeys-/

/** Whether replicas can count together. */
export async function valkey({ config: { valkeyUrl, postgres } }: Installation): Promise<Found> {
  if (!valkeyUrl)
    return success(
      `VALKEY_URL is not set: each process counts for itself${postgres ? ', so replicas multiply the limits' : ''}.`,
    )
  try {
    return findingsOf(await infoOf(valkeyUrl))
  } catch (error) {
    return failure(
      `Valkey cannot be used (${reasonOf(error)}): each process counts for itself.`,
      'Check VALKEY_URL, and whether the server is running.',
    )
  }
}

async function infoOf(url: URL): Promise<Map<string, string>> {
  const { Redis } = await import('ioredis') // only where there is one
  const client = new Redis({
    ...valkeyAddress(url),
    protocol: 2,
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 3 * SECOND,
    commandTimeout: 3 * SECOND,
  })
  let cause: unknown // the call that fails says only that the connection is closed
  client.on('error', (error) => {
    cause ??= error
  })
  try {
    await client.connect()
    const info = await client.info()
    return new Map(info.split('\r\n').map((line) => line.split(':', 2) as [string, string])) // lines such as role:master
  } catch (error) {
    throw cause ?? error
  } finally {
    client.disconnect()
  }
}

function findingsOf(info: Map<string, string>): Found {
  const version = info.get('valkey_version') ?? info.get('redis_version') ?? 'unknown'
  const policy = info.get('maxmemory_policy') ?? 'noeviction'
  return orSuccess(
    [
      Number.parseInt(version, 10) < OLDEST &&
        warning(`Its version is ${version}.`, `Use ${OLDEST} or newer: older ones are not tested.`),
      info.get('role') === 'slave' &&
        failure('VALKEY_URL leads to a replica, which accepts no writes.', 'Name the primary.'),
      EVICTS_ANY.test(policy) &&
        info.get('maxmemory') !== '0' &&
        warning(
          `maxmemory-policy is ${policy}: when memory is short, it deletes counters that still count.`,
          'config set maxmemory-policy volatile-ttl',
        ),
    ],
    `Version ${version}, ${policy}.`,
  )
}

/** A code if there is one: a message may repeat what was sent, such as a password. */
const reasonOf = (error: unknown) => {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? String(error.code) : error.message.replace(/^([A-Z]+)\s.*/s, '$1')
}
