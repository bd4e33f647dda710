import { type Config, isEveryAddress, originOf } from '../config.ts'
import { doctorProof, PROOF_HEADER } from '../http/doctor-proof.ts'
import { SEEN_HEADERS_PATH, type SeenHeaders } from '../http/seen-headers.ts'
import { SECOND } from '../lib/clock.ts'
import { rowsOf } from './read-only-database.ts'
import { type Finding, type Found, failure, type Installation, orSuccess, success, warning } from './result.ts'

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether the public address leads to this portal. */
export async function baseUrl(installation: Installation): Promise<Found> {
  const { config } = installation
  const url = config.baseUrl
  if (!url) return withoutBaseUrl(config)
  const reply = await ask(new URL('/health/live', url))
  if ('error' in reply) return unreachable(config, url, reply.error)
  const { status, headers } = reply.answer
  if (status >= 300 && status < 400)
    return failure(
      `${url.origin} redirects to ${headers.get('location')}.`,
      'Set BASE_URL to the address that people end up at.',
    )
  if (!(await isPortal(reply)))
    return failure(
      `Another program than the portal answers at ${url.origin} (status ${status}).`,
      'Check BASE_URL, and where the proxy sends requests.',
    )
  if (installation.database && !(await seenAt(url, installation)))
    return failure(
      `The portal at ${url.origin} is another one than that of this database.`,
      'Check BASE_URL and the settings of the database: DATABASE_URL, DATA_DIR. An older version answers like that too.',
    )
  return orSuccess([insecure(url), lostHeaders(headers)], `${url.origin} leads to this portal.`)
}

const withoutBaseUrl = (config: Config): Finding =>
  config.postgres || config.smtp || isEveryAddress(config.host)
    ? warning(
        `BASE_URL is not set: links lead to ${originOf(config)}.`,
        'Set it to the public address, such as https://portal.example.com.',
      )
    : success(`BASE_URL is not set: the portal is for this machine only, ${originOf(config)}.`)

/** While the portal is stopped, nobody can answer. */
async function unreachable(config: Config, url: URL, error: Error): Promise<Finding> {
  const reason =
    'code' in error ? String(error.code) : error.name === 'TimeoutError' ? 'no answer in time' : error.message
  if (/CERT|TLS|SSL|SIGN/.test(reason))
    return failure(
      `The certificate of ${url.origin} is not accepted (${reason}).`,
      'Renew it, or send its whole chain. For a private CA set NODE_EXTRA_CA_CERTS.',
    )
  return (await isRunningHere(config))
    ? failure(
        `${url.origin} cannot be reached (${reason}), although the portal is running.`,
        'Check BASE_URL, its DNS name and the proxy.',
      )
    : warning(
        `${url.origin} cannot be reached (${reason}), and no portal is running here.`,
        'Start the portal, and check again.',
      )
}

const insecure = ({ protocol, hostname }: URL): Found =>
  protocol === 'http:' &&
  !LOCAL.test(hostname) &&
  warning(
    'BASE_URL is http: anyone in between can read keys, passwords and cookies.',
    'Put a proxy with TLS in front, and set BASE_URL to https.',
  )

const lostHeaders = (headers: Headers): Finding[] =>
  ['x-content-type-options', 'cache-control']
    .filter((name) => !headers.has(name))
    .map((name) => warning(`A proxy removes the response header ${name}.`, 'Let it pass on the response headers.'))

const ANSWER_WITHIN_MS = 5 * SECOND
/** For documentation: nobody has it. */
export const FORGED_ADDRESS = '192.0.2.77'

type Reply = { answer: Response } | { error: Error }

/** A request that does not follow redirects, and has a time limit. */
async function ask(url: URL, headers: Record<string, string> = {}): Promise<Reply> {
  try {
    return { answer: await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }) }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { error: cause instanceof Error ? cause : new Error(String(cause)) }
  }
}

/** Where the portal listens on this machine; undefined: on a port of its own choice. */
function localUrl({ host, port }: Config): URL | undefined {
  if (port === 0) return undefined
  const name = isEveryAddress(host) ? (host === '::' ? '::1' : '127.0.0.1') : host
  return new URL(`http://${name.includes(':') ? `[${name}]` : name}:${port}`)
}

/** Whether a portal is running on this machine, with these settings. */
async function isRunningHere(config: Config): Promise<boolean> {
  const url = localUrl(config)
  return url !== undefined && isPortal(await ask(new URL('/health/live', url)))
}

/** A portal that is busy, or whose database is away, counts too: then the status is 503. */
async function isPortal(reply: Reply): Promise<boolean> {
  if ('error' in reply) return false
  const body: unknown = await reply.answer
    .clone()
    .json()
    .catch(() => undefined)
  return typeof body === 'object' && body !== null && ('status' in body || 'errors' in body)
}

/** How a request with a forged address and a key looks to the portal at this address; undefined: it is another portal. */
export async function seenAt(url: URL, { database, options }: Installation): Promise<SeenHeaders | undefined> {
  const [state] = await rowsOf(database, 'revocationState', 'select "installation" from "revocationState"')
  if (!state) return undefined
  const reply = await ask(new URL(SEEN_HEADERS_PATH, url), {
    [PROOF_HEADER]: doctorProof(String(state['installation']), options.now()),
    'x-forwarded-for': FORGED_ADDRESS,
    'api-secret': 'not a key',
  })
  if ('error' in reply || reply.answer.status !== 200) return undefined
  const body: unknown = await reply.answer.json().catch(() => undefined)
  const isOurs = typeof body === 'object' && body !== null && 'hasApiSecret' in body
  return isOurs ? (body as SeenHeaders) : undefined // no other program answers like that
}
