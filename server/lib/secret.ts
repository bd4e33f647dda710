import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 43 // base62 characters that hold 256 bits
const CHECK_LENGTH = 6 // base62 characters that hold 32 bits
const SHAPE = /^[a-z]{3}_[0-9A-Za-z]{49}$/

/** What a secret opens, told by its first letters: an API key, a session, an invitation, a password reset, a verification. */
export const SECRET_PREFIXES = ['emp_', 'ems_', 'emi_', 'emr_', 'emv_'] as const
export type SecretPrefix = (typeof SECRET_PREFIXES)[number]

/** How a secret begins, as a pattern; in an address the `_` may be written as `%5F`. */
export const SECRET_BEGIN = `(?:${SECRET_PREFIXES.map((prefix) => prefix.slice(0, -1)).join('|')})(?:_|%5[Ff])`

/**
 * Finds any of our secrets in running text, to strike it out, also one that was cut: the last characters are a checksum, so
 * the whole secret follows from what stands before them, and with some more missing it can be guessed.
 */
export const ANY_SECRET = new RegExp(`${SECRET_BEGIN}[0-9A-Za-z]{20,}`, 'g')

/** Finds one in a name, to refuse it. A name such as `temp_` with a serial number is none, so a part has to begin a word. */
export const NAMED_SECRET = new RegExp(
  `(?<![0-9A-Za-z])${SECRET_BEGIN}[0-9A-Za-z]{20,}|${SECRET_BEGIN}[0-9A-Za-z]{43,}`,
)

/** A new secret: the prefix, 256 random bits, and a checksum over both. */
export function mintSecret(prefix: SecretPrefix): string {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`)
  const body = prefix + base62(random, RANDOM_LENGTH)
  return body + checksum(body)
}

/** Whether the text can be a secret of this kind; a typing mistake is found without asking the database. */
export function isWellFormed(prefix: SecretPrefix, text: string): boolean {
  if (!text.startsWith(prefix) || !SHAPE.test(text)) return false
  return text.endsWith(checksum(text.slice(0, -CHECK_LENGTH)))
}

/**
 * All that is ever stored of a secret. 256 bits of entropy need no slow hash. By way of a string, since a buffer of its own costs
 * more than the hash.
 */
export function hashSecret(secret: string): Uint8Array {
  return Buffer.from(hash('sha256', secret, 'binary'), 'binary')
}

function checksum(body: string): string {
  let text = ''
  for (let rest = crc32(body); text.length < CHECK_LENGTH; rest = Math.floor(rest / 62))
    text = BASE62.charAt(rest % 62) + text
  return text
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text
  return text
}

/** A password for somebody who will read it once: 16 characters, 95 random bits. */
export function randomPassword(): string {
  return base62(BigInt(`0x${randomBytes(16).toString('hex')}`), 16)
}
