import { SECOND } from '../../lib/clock.ts'
import { DiskFullError, diskFull } from '../../lib/disk-full.ts'
import type { ReserveUse } from '../database.ts'
import { DiskReserve, type Growth, type ReserveSize } from './disk-reserve.ts'
import { isDiskFull } from './errors.ts'

const CHECK_EVERY_MS = 2 * SECOND

/** The part of the reserve that each use leaves: a person who signs in again and again does not use up all of it. */
const LEFT_PART: Record<ReserveUse, number> = { revoke: 0, 'sign-in': 1 / 2, policy: 1 / 2 }

export interface RoomOptions extends ReserveSize {
  /** How often a missing part of the reserve is filled again. */
  checkEveryMs: number
}

/** The room on the disk of an SQLite file: what may use the reserve when the disk is full, and whether it is full. */
export class DiskRoom {
  readonly #path: string
  readonly #reserve: DiskReserve
  readonly #checkEveryMs: number
  #timer: NodeJS.Timeout | undefined
  /** Something found no room, and there has not been room for a whole reserve and more since. */
  #isShort = false
  /** A transaction is using what was released: nobody may fill the reserve again meanwhile. */
  #isReleased = false
  #isChecking = false

  constructor(path: string, { checkEveryMs = CHECK_EVERY_MS, ...size }: Partial<RoomOptions> = {}) {
    this.#path = path
    this.#reserve = new DiskReserve(path, size)
    this.#checkEveryMs = checkEveryMs
  }

  /** Opens the file, with the reserve if need be. The first step of it is written at once, the others a little later. */
  open<Opened>(open: () => Opened): Opened {
    const opened = this.#again(open, diskFull)
    this.#note(this.#reserve.grow())
    this.#timer = setInterval(() => void this.#check(), this.#checkEveryMs).unref()
    return opened
  }

  /** Runs a transaction. One that may use the reserve runs again after each step, until it succeeds or none is left. */
  async run<Result>(transaction: () => Promise<Result>, use: ReserveUse | undefined): Promise<Result> {
    try {
      for (;;) {
        try {
          return await transaction()
        } catch (error) {
          if (!isDiskFull(error)) throw error
          if (!this.#release(use)) throw new DiskFullError(this.#path, error)
        }
      }
    } finally {
      if (this.#isReleased) this.#takeBack()
    }
  }

  /** Runs a transaction that is synchronous, and may use all of the reserve. */
  runSync<Result>(transaction: () => Result): Result {
    return this.#again(transaction, (path, error) => new DiskFullError(path, error))
  }

  /** Throws while the disk is full. */
  requireRoom(): void {
    if (this.#isShort) throw new DiskFullError(this.#path)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #again<Result>(work: () => Result, errorOf: (path: string, error: unknown) => Error): Result {
    try {
      for (;;) {
        try {
          return work()
        } catch (error) {
          if (!isDiskFull(error)) throw error
          if (!this.#release('revoke')) throw errorOf(this.#path, error)
        }
      }
    } finally {
      if (this.#isReleased) this.#takeBack()
    }
  }

  #release(use: ReserveUse | undefined): boolean {
    this.#isShort = true
    if (!use || !this.#reserve.release(LEFT_PART[use])) return false
    this.#isReleased = true
    return true
  }

  /** What the transaction did not need, at once: otherwise the next write that may not use it would. */
  #takeBack(): void {
    while (!this.#reserve.isFull && this.#reserve.grow() === 'room');
    this.#isReleased = false
  }

  async #check(): Promise<void> {
    if (this.#isChecking || (this.#reserve.isFull && !this.#isShort)) return
    this.#isChecking = true
    this.#note(await this.#reserve.refill(() => !this.#isReleased && this.#timer !== undefined))
    this.#isChecking = false
  }

  #note(growth: Growth): void {
    if (growth !== 'unknown') this.#isShort = growth === 'no room'
  }
}
