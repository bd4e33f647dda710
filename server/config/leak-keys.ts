import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { URL } from 'node:url'

/** Where the public keys of those who report leaked secrets come from. */
export type LeakKeys = { file: string } | { address: URL }

export type PublicKeys = ReadonlyMap<string, KeyObject>

/** GitHub's list has a few hundred bytes for each key. */
export const LARGEST_LIST_BYTES = 64 * 1024

const MAX_KEYS = 100
const IDENTIFIER = /^[\w.-]{1,200}$/

/** A path, or an https address; plain http is for this machine alone. Returns what is wrong with it otherwise. */
export function readLeakKeys(text: string): LeakKeys | string {
  if (!/^[a-z][a-z+.-]+:\/\//i.test(text)) return readableFile(resolve(text))
  const address = URL.canParse(text) ? new URL(text) : undefined
  const isAllowed = address?.protocol === 'https:' || (address?.protocol === 'http:' && isThisMachine(address.hostname))
  if (!address || !isAllowed || address.username || address.password || address.hash)
    return 'must be the path of a file or an https address, such as https://api.github.com/meta/public_keys/secret_scanning'
  return { address }
}

const isThisMachine = (host: string) =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))

function readableFile(file: string): LeakKeys | string {
  try {
    readKeysFile(file)
    return { file }
  } catch (error) {
    return error instanceof NotAList
      ? 'names a file without public keys: a JSON object with a list "public_keys" is needed'
      : 'names a file that cannot be read'
  }
}

class NotAList extends Error {}

/** Throws unless the file can be read and has at least one key. */
export function readKeysFile(file: string): PublicKeys {
  const { size } = statSync(file)
  if (size > LARGEST_LIST_BYTES) throw new NotAList(`The list has more than ${LARGEST_LIST_BYTES / 1024} KiB.`)
  return parsePublicKeys(readFileSync(file, 'utf8'))
}

/** The list in GitHub's format. Keys of another kind than ECDSA on P-256 are left out: their signatures are not accepted. Throws if there is none. */
export function parsePublicKeys(text: string): PublicKeys {
  const list = listIn(text)
  const keys = new Map<string, KeyObject>()
  for (const entry of list.slice(0, MAX_KEYS)) {
    const identifier = textIn(entry, 'key_identifier')
    const key = keyIn(textIn(entry, 'key'))
    if (key && IDENTIFIER.test(identifier)) keys.set(identifier, key)
  }
  if (keys.size === 0) throw new NotAList('The list has no public key that can be used.')
  return keys
}

function listIn(text: string): unknown[] {
  try {
    const list = fieldOf(JSON.parse(text), 'public_keys')
    if (Array.isArray(list)) return list
  } catch {
    // as below
  }
  throw new NotAList('The public keys are not in the expected format.')
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: pem, format: 'pem' })
    const isP256 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    return isP256 && !pem.includes('PRIVATE KEY') ? key : undefined
  } catch {
    return undefined
  }
}

function textIn(entry: unknown, name: string): string {
  const value = fieldOf(entry, name)
  return typeof value === 'string' ? value : ''
}

const fieldOf = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
