import { closeSync, openSync, readSync, statfsSync, statSync } from 'node:fs'

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
 * write-ahead log: whatever else changes it is another content. It reads the beginning of the index of the log (`-shm`), which
 * all processes that use a database share. That takes a microsecond, a query several.
 */
export class Checkpoints {
  readonly #file: string
  readonly #descriptor: number | undefined
  readonly #buffer = Buffer.alloc(BYTES)
  #before: { progress: Progress; writtenAt: bigint } | undefined

  /** For the index of a write-ahead log that is in use. */
  constructor(path: string) {
    const { dev, ino } = statSync(path, { bigint: true })
    this.#file = `${dev}:${ino}`
    this.#descriptor = isReadable(path) ? open(this.#file, path) : undefined
  }

  /** To be read before the time at which the database was last written. Undefined where it cannot be relied on. */
  progress(): Progress | undefined {
    if (this.#descriptor === undefined) return undefined
    readSync(this.#descriptor, this.#buffer, 0, BYTES, 0)
    const merged = this.#buffer.readUInt32LE(MERGED_AT)
    const merging = this.#buffer.readUInt32LE(MERGING_AT)
    const salts = this.#buffer.readBigUInt64LE(SALTS_AT)
    return { salts, merged, isMerging: merging > merged, isEmpty: this.#buffer.readUInt32LE(FRAMES_AT) === 0 }
  }

  /** Whether nothing but checkpoints has written to the database since the last call. */
  explain(progress: Progress, writtenAt: bigint): boolean {
    const before = this.#before
    this.#before = { progress, writtenAt }
    if (!before || before.writtenAt === writtenAt || hasMerged(before.progress, progress)) return true
    return hasMerged(progress, this.progress() ?? progress) // a checkpoint that has begun in between
  }

  /** After the connections. */
  close(): void {
    const entry = opened.get(this.#file)
    if (this.#descriptor === undefined || !entry || --entry.users > 0) return
    opened.delete(this.#file)
    closeSync(entry.descriptor)
  }
}

const hasMerged = (before: Progress, after: Progress) =>
  before.isMerging ||
  after.isMerging ||
  before.merged !== after.merged ||
  (before.salts !== after.salts && !before.isEmpty)

/** NFS, SMB, 9P and FUSE, as Linux numbers them: there another process's change of a file may show late. */
const REMOTE = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546])

/** On Windows, whoever reads bytes that SQLite has locked gets an error, so the index is not read there. */
const isReadable = (path: string) => process.platform !== 'win32' && !REMOTE.has(statfsSync(path).type)

/** By inode, for this process: closing one would release the locks that SQLite holds on it, so it is closed after the last connection. */
const opened = new Map<string, { descriptor: number; users: number }>()

function open(file: string, path: string): number {
  const entry = opened.get(file) ?? { descriptor: openSync(path, 'r'), users: 0 }
  entry.users++
  opened.set(file, entry)
  return entry.descriptor
}
