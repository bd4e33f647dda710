import { WalIndex } from './wal-index.ts'

/** The header of the index of the write-ahead log, twice, and then how far it has been merged into the database. */
const BYTES = 136
const FRAMES_AT = 16
const SALTS_AT = 32
const MERGED_AT = 96
const MERGING_AT = 128

interface Progress {
  /** Others each time that the log begins anew, which is after a complete checkpoint. */
  salts: bigint
  merged: number
  isMerging: boolean
  /** Nothing is in the log yet: then it begins without a checkpoint. */
  isEmpty: boolean
}

/**
 * Tells whether the database was written by a checkpoint, which is the only way in which SQLite writes to it with a
 * write-ahead log: whatever else changes it is another content.
 */
export class Checkpoints {
  readonly #index: WalIndex
  readonly #buffer = Buffer.alloc(BYTES)
  #before: { progress: Progress; writtenAt: bigint } | undefined

  /** For the index of a write-ahead log that is in use. */
  constructor(path: string) {
    this.#index = new WalIndex(path)
  }

  /** To be read before the time at which the database was last written. */
  progress(): Progress | undefined {
    if (!this.#index.readInto(this.#buffer)) return undefined
    const merged = this.#buffer.readUInt32LE(MERGED_AT)
    const merging = this.#buffer.readUInt32LE(MERGING_AT)
    const salts = this.#buffer.readBigUInt64LE(SALTS_AT)
    return { salts, merged, isMerging: merging > merged, isEmpty: this.#buffer.readUInt32LE(FRAMES_AT) === 0 }
  }

  /** Whether nothing but checkpoints has written to the database since the last call. */
  explain(progress: Progress | undefined, writtenAt: bigint): boolean {
    if (!progress) return true
    const before = this.#before
    this.#before = { progress, writtenAt }
    if (!before || before.writtenAt === writtenAt || hasMerged(before.progress, progress)) return true
    return hasMerged(progress, this.progress() ?? progress) // a checkpoint that has begun in between
  }

  close(): void {
    this.#index.close()
  }
}

const hasMerged = (before: Progress, after: Progress) =>
  before.isMerging ||
  after.isMerging ||
  before.merged !== after.merged ||
  (before.salts !== after.salts && !before.isEmpty)
