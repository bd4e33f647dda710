import { createHmac, hkdfSync } from 'node:crypto'
import { AppError } from '../lib/app-error.ts'
import { createEncryption, type Encryption } from '../lib/encryption.ts'
import { isReadable } from './readable.ts'

const MAX_LENGTH = 255
/** Some libraries put a name before it. */
const UUID = /^(?:[\w.:-]{0,60}[-_:.])?(?<uuid>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i
const HEX = /^[\da-f]{32,}$/i
/** What generators of ids and base64 write; nanoid makes 21 of them, which are as random as a UUID. */
const ONE_RUN = /^[\w+/-]{21,}={0,2}$/
/** A UUID has about 36, and 21 random characters about 21. */
const MIN_TRIPLES = 16
/** As a string of structured headers has it: in quotes. */
const QUOTED = /^"(?<inside>[^"\\]*)"$/
const HASH_LENGTH = 32

/** What is derived from the value of an Idempotency-Key header. The value itself is stored nowhere. */
export interface IdempotencyValue {
  /** Finds the record. */
  hash: Uint8Array
  /** Of the request that the value was sent with. */
  hashOf(text: string): Buffer
  encryption: Encryption
}

/**
 * Reads the header. Its value is the only key to the recorded answer, which may have a secret in it: so it must be hard
 * to guess.
 */
export function readValue(header: string): IdempotencyValue {
  const given = QUOTED.exec(header)?.groups?.['inside'] ?? header
  if (given.length > MAX_LENGTH || !isRandom(given))
    throw new AppError('BAD_REQUEST', {
      message: `Idempotency-Key: a UUID, or at least as random: 32 hexadecimal digits, or 22 characters of a-z, A-Z and 0-9 from a generator of random values; at most ${MAX_LENGTH} characters. Words, dates and counters can be guessed. Use a new one for each mutation, and the same one only to send the same request again.`,
      field: 'Idempotency-Key',
    })
  const value = UUID.test(given) ? given.toLowerCase() : given // the same UUID, however it is written
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', value, '', `idempotency ${purpose}`, HASH_LENGTH))
  const bodyKey = derived('body')
  return {
    hash: derived('record'),
    hashOf: (text) => createHmac('sha256', bodyKey).update(text).digest(),
    encryption: createEncryption(value, 'idempotency answer'),
  }
}

/** Whether a text has one of the forms that generators of random values write, and looks random. */
export function isRandom(text: string): boolean {
  const uuid = UUID.exec(text)?.groups?.['uuid']
  const hasForm = uuid ?? (HEX.test(text) || (ONE_RUN.test(text) && !isReadable(text.replace(/=+$/, ''))))
  return Boolean(hasForm) && differentTriples(uuid ?? text) >= MIN_TRIPLES
}

/** How often something new comes: a text that repeats itself or has long runs of one digit has few. */
const differentTriples = (text: string) => new Set([...text].map((_, index) => text.slice(index, index + 3))).size
