import { createHmac, hkdfSync } from 'node:crypto'
import { AppError } from '../../lib/app-error.ts'
import { createEncryption, type Encryption } from '../../lib/encryption.ts'

const PRINTABLE = /^[ -~]{1,255}$/
/** A string in the syntax of structured headers. */
const QUOTED = /^"(?<inside>[^"\\]*)"$/
const HASH_LENGTH = 32
const FINGERPRINT_LENGTH = 8

/** The value of an Idempotency-Key header, with or without quotes around it. */
export function readIdempotencyKey(header: string): string {
  const value = QUOTED.exec(header)?.groups?.['inside'] ?? header
  if (PRINTABLE.test(value)) return value
  throw new AppError('BAD_REQUEST', {
    message: 'Idempotency-Key: 1 to 255 printable ASCII characters.',
    field: 'Idempotency-Key',
  })
}

/** A request with an Idempotency-Key, as its record is found and read. */
export interface KeyedRequest {
  /** The key or the person who has sent it. */
  callerId: string
  /** A hash of the caller and the value of the header. It begins with the fingerprint of the secret. */
  valueHash: Buffer
  /** A hash of caller, value, and everything that has to be the same when it is sent again. */
  bodyHash: Buffer
  /** Between these are the hashes of values that were made with the same secret. */
  hashesOfSecret: { first: Buffer; last: Buffer }
  encryption: Encryption
}

/** People send values that can be guessed. So all that is stored depends on `PORTAL_SECRET`: a database alone confirms no guess. */
export function createKeyedRequests(portalSecret: string) {
  const derived = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', portalSecret, '', `idempotency ${purpose}`, length))
  const hashKey = derived('hash', HASH_LENGTH)
  const fingerprint = derived('fingerprint', FINGERPRINT_LENGTH)
  const hashesOfSecret = { first: fingerprint, last: Buffer.concat([fingerprint, Buffer.alloc(HASH_LENGTH, 0xff)]) }
  const encryption = createEncryption(portalSecret, 'idempotency answer')
  const hashOf = (...texts: string[]) => createHmac('sha256', hashKey).update(JSON.stringify(texts)).digest()

  return (callerId: string, value: string, body: string): KeyedRequest => ({
    callerId,
    valueHash: Buffer.concat([fingerprint, hashOf(callerId, value)]),
    bodyHash: hashOf(callerId, value, body),
    hashesOfSecret,
    encryption,
  })
}
