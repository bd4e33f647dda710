import { type KeyObject, verify } from 'node:crypto'

/** Base64 of two numbers of 256 bits in DER, with room for other encoders. */
const SIGNATURE = /^[A-Za-z0-9+/]{8,196}={0,2}$/
const IDENTIFIER = /^[\w.-]{1,200}$/

export interface Signed {
  /** Of the public key. */
  identifier: string
  signature: Buffer
}

/**
 * The two headers of a signed report; undefined if one is missing, sent twice or not in its format. Node joins a header
 * that is sent twice by a comma, which is in neither format.
 */
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
