import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Derive, PasswordCost } from '../caller/deps.ts'
import { countLimitRefusal, LIMITS, rateLimited } from '../config/limits.ts'
import { AppError } from '../lib/app-error.ts'
import { badInput, hasManyMarks, tooManyMarks } from '../lib/check.ts'
import { ConcurrencyLimit } from '../lib/concurrency-limit.ts'
import type { Refusal } from '../lib/fair-queue.ts'
import { someBytes } from '../lib/random.ts'
import { isCommonPassword } from './common-passwords.ts'

const SHORTEST = 12
const LONGEST = 256
const COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 } // KiB: 19 MiB
const AT_ONCE = 4
const SALT_BYTES = 16
const HASH_BYTES = 32
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

interface PasswordOptions {
  cost?: PasswordCost | undefined
  derive?: Derive
  atOnce?: number
}

export interface Passwords {
  /** All that is stored of a password: Argon2id under a salt of its own, in PHC notation. */
  hash(password: string): Promise<string>
  /** Whether the password matches the hash. Without a hash the work is the same and the answer is no. */
  verify(password: string, stored: string | undefined): Promise<boolean>
}

/** Argon2id on the threads of the process: for the command line. A server has separate threads for it. */
export const argon2id: Derive = (input) => promisify(argon2)('argon2id', input)

/** Refuses a new password that is too short, too long or too common. */
export function checkPassword(field: string, text: string): string {
  if (hasManyMarks(text)) throw tooManyMarks(field)
  const length = [...normalised(text)].length
  if (length < SHORTEST || length > LONGEST) throw badInput(field, `${field}: ${SHORTEST} to ${LONGEST} characters.`)
  if (isCommonPassword(normalised(text)))
    throw badInput(field, `${field}: too common, choose one that is hard to guess.`)
  return text
}

/** Hashes and verifies passwords, a few at once; `from` is the source, so that one source does not delay others. */
export function createPasswords({ cost = COST, derive = argon2id, atOnce = AT_ONCE }: PasswordOptions = {}) {
  const limit = new ConcurrencyLimit({
    atOnce,
    atOnceOfGroup: atOnce,
    maxWaiting: LIMITS.passwords,
    maxWaitingOfGroup: LIMITS.passwords_of_source,
    refusal,
  })
  const unknownPerson = phc(cost, someBytes(SALT_BYTES), someBytes(HASH_BYTES)) // for an unknown person

  function from(source: string): Passwords {
    const hashOf = (password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> => {
      const message = Buffer.from(normalised(password))
      return limit.run(source, () => derive({ message, nonce: salt, tagLength: HASH_BYTES, ...cost }))
    }
    return {
      async hash(password) {
        const salt = someBytes(SALT_BYTES)
        return phc(cost, salt, await hashOf(password, salt, cost))
      },
      async verify(password, stored) {
        const [, memory, passes, parallelism, salt = '', hash = ''] = PHC.exec(stored ?? unknownPerson) ?? []
        if (!hash) throw new Error('A stored password hash is not Argon2id in PHC notation.')
        const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
        const expected = Buffer.from(hash, 'base64')
        const actual = await hashOf(password, Buffer.from(salt, 'base64'), cost)
        return timingSafeEqual(actual, expected) && stored !== undefined
      },
    }
  }

  return { ...from(''), from }
}

function refusal(reason: Refusal): AppError {
  if (reason === 'group full') {
    const message = 'Too many passwords at once from where you are: try again in a second.'
    return rateLimited('passwords_of_source', 1, message)
  }
  countLimitRefusal('passwords')
  return new AppError('UNAVAILABLE', { retryAfterSeconds: 1 })
}

/** One form for what keyboards send for the same characters; blanks count. What nobody can have as a password stays as it is. */
const normalised = (password: string) => (hasManyMarks(password) ? password : password.normalize('NFKC'))

const phc = ({ memory, passes, parallelism }: PasswordCost, salt: Buffer, hash: Buffer) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`

/** The hash of no password: the person has to set a new one. */
export const unusableHash = () => phc(COST, someBytes(SALT_BYTES), someBytes(HASH_BYTES))

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
