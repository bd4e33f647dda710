import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 10
const RANDOM_LENGTH = 12
const pool = new Uint8Array(RANDOM_LENGTH * 256)
let used = pool.length
let last = { time: 0, sequence: 0 }

/** A new id of 26 characters: the millisecond, a sequence within it, 60 random bits. Those of one process sort by age. */
export function newId(now: number): string {
  last = { time: now, sequence: now === last.time ? last.sequence + 1 : 0 }
  let id = base32(last.time, TIME_LENGTH) + base32(last.sequence, 4)
  if (used + RANDOM_LENGTH > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  for (let i = 0; i < RANDOM_LENGTH; i++) id += ALPHABET.charAt((pool[used++] ?? 0) % 32)
  return id
}

/** Ids of this millisecond and of later ones are not less than this, those of earlier ones are. */
export const firstIdAt = (at: number) => base32(at, TIME_LENGTH)

/** The millisecond in which an id was made. */
export const timeOfId = (id: string) =>
  [...id.slice(0, TIME_LENGTH)].reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0)

function base32(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = ALPHABET.charAt(rest % 32) + text
  return text
}

/** Ids for the requests of one process: short, in order, and told apart from those of another process. */
export function createRequestIds(startedAt: number): () => string {
  const process = newId(startedAt).slice(-8)
  let count = 0
  return () => `${process}-${(++count).toString(36)}`
}
