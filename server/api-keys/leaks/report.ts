import { type KeyObject, verify } from 'node:crypto'
import { AppError } from '../../lib/app-error.ts'
import { REDACTED, storable, withoutSecrets } from '../../lib/plain-text.ts'

export const MAX_ENTRIES = 1000
const MAX_TYPE_LENGTH = 100
const MAX_URL_LENGTH = 500
const MAX_SOURCE_LENGTH = 50
/** A secret has 53 characters: a longer token is none of ours, and not hashed. */
const MAX_TOKEN_LENGTH = 4096

/** Where a secret was found, as it may be stored and shown: cut, and without any secret. */
export interface LeakLocation {
  url: string
  source: string
}

export interface ReportedToken extends LeakLocation {
  token: string
  type: string
}

/** The entries of a verified report. One without a token is left out: there is nothing to look for. */
export function parseReport(body: Buffer): ReportedToken[] {
  const list = listIn(body)
  if (list.length > MAX_ENTRIES)
    throw new AppError('PAYLOAD_TOO_LARGE', {
      message: `A report has at most ${MAX_ENTRIES} entries. Send the others in another report.`,
    })
  return list.flatMap((entry) => {
    const { token, type, url, source } = fieldsOf(entry)
    if (typeof token !== 'string' || token === '' || token.length > MAX_TOKEN_LENGTH) return []
    return [{ token, type: storable(textOf(type), MAX_TYPE_LENGTH), ...placeOf(textOf(url), textOf(source)) }]
  })
}

function listIn(body: Buffer): unknown[] {
  try {
    const list: unknown = JSON.parse(body.toString('utf8'))
    if (Array.isArray(list)) return list
  } catch {
    // as below
  }
  throw new AppError('BAD_REQUEST', { message: 'A report is a JSON list of objects with token, type, url and source.' })
}

const fieldsOf = (entry: unknown): Record<string, unknown> =>
  entry !== null && typeof entry === 'object' ? { ...entry } : {}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** The address of a leak may contain the secret itself, also escaped, and a password. */
export function placeOf(url: string, source: string): LeakLocation {
  const given = withoutPassword(url.slice(0, 4 * MAX_URL_LENGTH).trim())
  const shown = hidesSecret(given) ? withoutPath(given) : given
  return { url: storable(shown, MAX_URL_LENGTH), source: storable(source.trim(), MAX_SOURCE_LENGTH) }
}

const withoutPassword = (url: string) => url.replace(/^([a-z][a-z+.-]*:\/\/)[^/?#]*@/i, '$1')

/** Whether something in it is encoded, and there is a secret in it once it is decoded, also twice. */
function hidesSecret(url: string): boolean {
  const once = decoded(url)
  return [once, decoded(once)].some((text) => text !== url && hasSecretInside(text))
}

const decoded = (text: string) =>
  text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

function hasSecretInside(text: string): boolean {
  const visible = text.replace(/[^\x21-\x7e]/g, '')
  return withoutSecrets(visible) !== visible
}

const withoutPath = (url: string) => (URL.canParse(url) ? `${new URL(url).host}/${REDACTED}` : REDACTED)

/** Base64 of two numbers of 256 bits in DER, with room for other encoders. */
const SIGNATURE = /^[A-Za-z0-9+/]{8,196}={0,2}$/
const IDENTIFIER = /^[\w.-]{1,200}$/

export interface Signed {
  identifier: string
  signature: Buffer
}

/** The two headers of a signed report; undefined if one is missing or malformed. Node joins repeated ones by a comma. */
export function signedHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Signed | undefined {
  const identifier = headers['github-public-key-identifier']
  const signature = headers['github-public-key-signature']
  if (typeof identifier !== 'string' || !IDENTIFIER.test(identifier)) return undefined
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return undefined
  return { identifier, signature: Buffer.from(signature, 'base64') }
}

/** Whether this key has signed exactly these bytes (ECDSA with SHA-256, the signature in DER). */
export function isSignedBy(key: KeyObject, body: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify('sha256', body, { key, dsaEncoding: 'der' }, signature)
  } catch {
    return false // not a signature at all
  }
}
