import { createHmac, hkdfSync } from 'node:crypto'
import { AppError } from '../lib/app-error.ts'
import { createEncryption, type Encryption } from '../lib/encryption.ts'

const MIN_LENGTH = 20
const MAX_LENGTH = 255
/** A UUID has about 110 by this estimate, 22 random characters about 90. */
const MIN_BITS = 64
const VISIBLE_ASCII = /^[!-~]+$/
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
  const value = QUOTED.exec(header)?.groups?.['inside'] ?? header
  if (value.length < MIN_LENGTH || value.length > MAX_LENGTH || !VISIBLE_ASCII.test(value) || bitsIn(value) < MIN_BITS)
    throw new AppError('BAD_REQUEST', {
      message: `Idempotency-Key: a UUID, or at least as random: 32 hexadecimal digits, or 22 characters of a-z, A-Z and 0-9; at most ${MAX_LENGTH} characters. Use a new one for each mutation, and the same one only to send the same request again.`,
      field: 'Idempotency-Key',
    })
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', value, '', `idempotency ${purpose}`, HASH_LENGTH))
  const bodyKey = derived('body')
  return {
    hash: derived('record'),
    hashOf: (text) => createHmac('sha256', bodyKey).update(text).digest(),
    encryption: createEncryption(value, 'idempotency answer'),
  }
}

/** How random a text looks: by how often each of its characters occurs. Words and counters look more random than they are. */
function bitsIn(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  const { length } = text
  return [...counts.values()].reduce((bits, count) => bits + count * Math.log2(length / count), 0)
}
