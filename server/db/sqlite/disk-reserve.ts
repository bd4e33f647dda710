import { closeSync, fchownSync, fstatSync, ftruncateSync, openSync, statSync, truncateSync, writeSync } from 'node:fs'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { codeOf } from '../../lib/error-text.ts'
import { someBytes } from '../../lib/random.ts'

const KIB = 1024
export const RESERVE_BYTES = 8 * KIB * KIB
const RESERVE_STEP_BYTES = 256 * KIB
/** A file system refuses a large write as a whole, though there is room for a part of it. */
const PIECE_BYTES = 4 * KIB
const ROOT = 0
/** The disk is full, or the quota of its user. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT'])

export interface ReserveSize {
  /** The whole. */
  bytes: number
  /** What is released or added at once. */
  stepBytes: number
}

/** What became of an attempt to fill it: `unknown` if something else than the disk was in the way. */
export type Growth = 'room' | 'no room' | 'unknown'

/** A second file that is cut when the disk is full, and filled when there is room. Any process may: they append, and none relies on its size. */
export class DiskReserve {
  readonly path: string
  readonly #file: string
  readonly #whole: number
  readonly #stepBytes: number
  #step: Uint8Array | undefined

  constructor(file: string, { bytes = RESERVE_BYTES, stepBytes = RESERVE_STEP_BYTES }: Partial<ReserveSize> = {}) {
    this.path = `${file}.reserve`
    this.#file = file
    this.#whole = bytes
    this.#stepBytes = stepBytes
  }

  get isFull(): boolean {
    return this.#bytes() >= this.#whole
  }

  /** Releases a step, but leaves a part of the whole; returns whether there was something to release. */
  release(leftPart = 0): boolean {
    const bytes = this.#bytes()
    const least = Math.floor(this.#whole * leftPart)
    if (bytes <= least) return false
    try {
      truncateSync(this.path, Math.max(least, bytes - this.#stepBytes))
      return true
    } catch {
      return false // the file has another owner, for example
    }
  }

  /** Adds a step, or as much of it as there is room for. */
  grow(): Growth {
    return this.#append(Math.min(this.#stepBytes, this.#whole - this.#bytes()))
  }

  /** Fills it in steps, as long as it may. There is `room` only with a step more than the whole: else the next write would not fit. */
  async refill(mayGoOn: () => boolean = () => true): Promise<Growth> {
    while (!this.isFull) {
      const growth = mayGoOn() ? this.grow() : 'unknown'
      if (growth !== 'room') return growth
      await yieldToEventLoop()
    }
    return mayGoOn() ? this.#append(this.#stepBytes) : 'unknown'
  }

  #bytes(): number {
    try {
      return statSync(this.path).size
    } catch {
      return 0
    }
  }

  /** Appends, and cuts off what exceeds the whole. */
  #append(bytes: number): Growth {
    if (bytes <= 0) return 'room'
    this.#step ??= someBytes(this.#stepBytes) // a file system that compresses would keep no room for zeros
    try {
      const file = openSync(this.path, 'a', 0o600)
      try {
        this.#giveToOwner(file)
        for (let at = 0; at < bytes; ) at += writeSync(file, this.#step, at, Math.min(PIECE_BYTES, bytes - at))
        return 'room'
      } finally {
        if (fstatSync(file).size > this.#whole) ftruncateSync(file, this.#whole)
        closeSync(file)
      }
    } catch (error) {
      return NO_ROOM.has(codeOf(error)) ? 'no room' : 'unknown'
    }
  }

  /** As SQLite does with its files: root must not create one that the server cannot use. */
  #giveToOwner(reserve: number): void {
    if (process.getuid?.() !== ROOT) return
    const { uid, gid } = statSync(this.#file)
    if (fstatSync(reserve).uid !== uid) fchownSync(reserve, uid, gid)
  }
}
