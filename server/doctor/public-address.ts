import { type Config, isEveryAddress } from '../config.ts'
import { SEEN_HEADERS_PATH, type SeenHeaders } from '../http/seen-headers.ts'
import { SECOND } from '../lib/clock.ts'
import { doctorProof, PROOF_HEADER } from '../lib/doctor-proof.ts'
import type { Installation } from './check.ts'
import { hasTable } from './read-only-database.ts'

const ANSWER_WITHIN_MS = 5 * SECOND
/** For documentation: nobody has it. */
export const FORGED_ADDRESS = '192.0.2.77'

export type Asked = { answer: Response } | { error: Error }

/** A request that does not follow redirects, and has a time limit. */
export async function ask(url: URL, headers: Record<string, string> = {}): Promise<Asked> {
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
export async function isRunningHere(config: Config): Promise<boolean> {
  const url = localUrl(config)
  return url !== undefined && isPortal(await ask(new URL('/health/live', url)))
}

/** Also while it is busy, or its database is away: then the status is 503. */
export async function isPortal(asked: Asked): Promise<boolean> {
  if ('error' in asked) return false
  const body: unknown = await asked.answer
    .clone()
    .json()
    .catch(() => undefined)
  return typeof body === 'object' && body !== null && ('status' in body || 'errors' in body)
}

/** How a request with a forged address and a key looks to the portal at this address; undefined: it is another portal. */
export async function seenAt(url: URL, { database, options }: Installation): Promise<SeenHeaders | undefined> {
  if (!database || !(await hasTable(database, 'revocationState'))) return undefined
  const { installation } = await database.first('select "installation" from "revocationState"')
  const asked = await ask(new URL(SEEN_HEADERS_PATH, url), {
    [PROOF_HEADER]: doctorProof(String(installation), options.now()),
    'x-forwarded-for': FORGED_ADDRESS,
    'api-secret': 'not a key',
  })
  if ('error' in asked || asked.answer.status !== 200) return undefined
  const body: unknown = await asked.answer.json().catch(() => undefined)
  const isOurs = typeof body === 'object' && body !== null && 'hasApiSecret' in body
  return isOurs ? (body as SeenHeaders) : undefined // no other program answers like that
}
