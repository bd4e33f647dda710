import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { badInput } from '../lib/check.ts'
import { someBytes } from '../lib/random.ts'
import { isCommonPassword } from './common-passwords.ts'
import { createTurns } from './turns.ts'

const SHORTEST = 12
const LONGEST = 256
const COST = { memory: 19_456, passes: 2, parallelism: 1 } // KiB: 19 MiB
const SALT_BYTES = 16
const HASH_BYTES = 32
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const derive = promisify(argon2)
const takeTurn = createTurns({ atOnce: 4, inLine: 200 })

/** Refuses a new password that is too short, too long or among the first that anyone would guess. */
export function checkPassword(field: string, text: string): string {
  const length = [...normalised(text)].length
  if (length < SHORTEST || length > LONGEST) throw badInput(field, `${field}: ${SHORTEST} to ${LONGEST} characters.`)
  if (isCommonPassword(normalised(text))) throw badInput(field, `${field}: too common, choose one that nobody guesses.`)
  return text
}

/** All that is stored of a password: Argon2id under a salt of its own, in PHC notation. */
export async function hashPassword(password: string): Promise<string> {
  const salt = someBytes(SALT_BYTES)
  return phc(salt, await argon2id(password, salt, COST))
}

/** Whether the password is the one behind the hash. Without a hash the work is the same and the answer is no. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = PHC.exec(stored ?? NOBODY) ?? []
  if (!hash) throw new Error('A stored password hash is not Argon2id in PHC notation.')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const expected = Buffer.from(hash, 'base64')
  const actual = await argon2id(password, Buffer.from(salt, 'base64'), cost)
  return timingSafeEqual(actual, expected) && stored !== undefined
}

function argon2id(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  const message = Buffer.from(normalised(password))
  return takeTurn(() => derive('argon2id', { message, nonce: salt, tagLength: HASH_BYTES, ...cost }))
}

/** One form for what different keyboards send for the same characters. Blanks around it belong to it. */
const normalised = (password: string) => password.normalize('NFKC')

const phc = (salt: Buffer, hash: Buffer) =>
  `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(salt)}$${unpadded(hash)}`

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** Stands in for the hash of a person who does not exist. */
const NOBODY = phc(someBytes(SALT_BYTES), someBytes(HASH_BYTES))
