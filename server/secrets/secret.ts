import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 43 // base62 characters that hold 256 bits
const CHECK_LENGTH = 6 // base62 characters that hold 32 bits
const PREFIX_LENGTH = 4
const BODY_LENGTH = PREFIX_LENGTH + RANDOM_LENGTH
const SECRET_LENGTH = BODY_LENGTH + CHECK_LENGTH

/** The kinds of secrets: API key, session, invitation, password reset, email verification. */
export const SECRET_PREFIXES = ['emp_', 'ems_', 'emi_', 'emr_', 'emv_'] as const
export type SecretPrefix = (typeof SECRET_PREFIXES)[number]

/** A pattern for the beginning of a secret, webhooks' too; in a URL, `_` may be written as `%5F`. */
export const SECRET_BEGIN = `(?:${[...SECRET_PREFIXES, 'whsec_'].map((prefix) => prefix.slice(0, -1)).join('|')})(?:_|%5[Ff])`

/** The secret of a webhook is base64 after its prefix; in a URL, some of that may be encoded. */
const WEBHOOK_SECRET = 'whsec(?:_|%5[Ff])(?:[0-9A-Za-z+/=]|%2[BbFf]|%3[Dd]){16,}'

/** A secret, also one that is cut: without its last characters, a checksum, it is complete, and with a few more missing it can be guessed. */
export const ANY_SECRET = new RegExp(`${WEBHOOK_SECRET}|${SECRET_BEGIN}[0-9A-Za-z]{20,}`, 'g')

/** Finds a secret in a name, to refuse the name. The prefix has to begin a word, so that names such as `temp_` with a serial number are accepted. */
export const NAMED_SECRET = new RegExp(
  `${WEBHOOK_SECRET}|(?<![0-9A-Za-z])${SECRET_BEGIN}[0-9A-Za-z]{20,}|${SECRET_BEGIN}[0-9A-Za-z]{43,}`,
)

/** A new secret: the prefix, 256 random bits, and a checksum over both. */
export function mintSecret(prefix: SecretPrefix): string {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`)
  const body = prefix + base62(random, RANDOM_LENGTH)
  return body + checksum(body)
}

/** Whether the text has the format and the checksum of such a secret: a typing mistake costs no query. */
export const isWellFormed = (prefix: SecretPrefix, text: string): boolean =>
  text.length === SECRET_LENGTH &&
  text.startsWith(prefix) &&
  /^[0-9A-Za-z]+$/.test(text.slice(PREFIX_LENGTH)) &&
  text.endsWith(checksum(text.slice(0, BODY_LENGTH)))

/** The only part of a secret that is stored. 256 bits of entropy need no slow hash. */
export const hashSecret = (secret: string): Uint8Array => Buffer.from(hash('sha256', secret, 'binary'), 'binary')

function checksum(body: string): string {
  let text = ''
  for (let rest = crc32(body); text.length < CHECK_LENGTH; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text
  return text
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text
  return text
}

/** A password to be read once by a person: 16 characters, 95 random bits. */
export function randomPassword(): string {
  return base62(BigInt(`0x${randomBytes(16).toString('hex')}`), 16)
}
