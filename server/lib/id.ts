import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 10
const SEQUENCE_LENGTH = 4
const RANDOM_LENGTH = 12
const ID_LENGTH = TIME_LENGTH + SEQUENCE_LENGTH + RANDOM_LENGTH
const pool = new Uint8Array(RANDOM_LENGTH * 256)
let used = pool.length
let last = { time: 0, sequence: 0 }

/** A new id of 26 characters: the millisecond, a sequence number, 60 random bits. Ids of one process and one millisecond sort by age. */
export function newId(now: number): string {
  if (now > last.time) last = { time: now, sequence: 0 }
  else last.sequence++ // for an earlier time too: the next id of the latest one must not start at 0 again
  let id = base32(now, TIME_LENGTH) + base32(last.sequence, SEQUENCE_LENGTH)
  if (used + RANDOM_LENGTH > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  for (let i = 0; i < RANDOM_LENGTH; i++) id += ALPHABET.charAt((pool[used++] ?? 0) % 32)
  return id
}

const SHAPE = /^[0-9a-hjkmnp-tv-z]{26}$/

/** Whether a text has the format of an id; any other text is the id of nothing. */
export const isId = (text: string): boolean => text.length === ID_LENGTH && SHAPE.test(text)

/** The smallest id of this millisecond: earlier ids are less. */
export const firstIdAt = (at: number) => base32(at, TIME_LENGTH)

/** Sorts after every id. */
export const AFTER_ALL_IDS = '~'

/** The millisecond in which an id was created. An invalid digit counts as 0. */
export const timeOfId = (id: string) =>
  [...id.slice(0, TIME_LENGTH)].reduce((time, digit) => time * 32 + Math.max(ALPHABET.indexOf(digit), 0), 0)

/** A fixed number of digits; a value outside the range becomes the nearest one inside. */
function base32(value: number, length: number): string {
  let rest = value > 0 ? Math.min(Math.floor(value), 32 ** length - 1) : 0 // NaN is not above 0 either
  let text = ''
  for (let digits = 0; digits < length; digits++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Short ids for the requests of one process, in order, and distinct from those of other processes. */
export function createRequestIds(startedAt: number): () => string {
  const process = newId(startedAt).slice(-8)
  let count = 0
  return () => `${process}-${(++count).toString(36)}`
}
