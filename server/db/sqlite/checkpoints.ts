import { closeSync, openSync, readSync, statfsSync, statSync } from 'node:fs'

/** The header of the index of the write-ahead log, twice, and then how far it has been merged into the database. */
const BYTES = 136
const SALTS_AT = 32
const MERGED_AT = 96
const MERGING_AT = 128

/** NFS, SMB, 9P and FUSE, as Linux numbers them: there a change of a file may show its time late. */
const REMOTE = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546])

/**
 * Open files by inode, for all databases of this process. Closing one would release the locks that SQLite holds on it in
 * this process, so it is closed after the last connection.
 */
const opened = new Map<string, { descriptor: number; users: number }>()

interface Progress {
  state: string
  isMerging: boolean
}

/**
 * Tells whether the database was written by a checkpoint, which is the only way in which SQLite writes to it with a
 * write-ahead log: whatever else changes it is another content.
 */
export class Checkpoints {
  readonly #inode: string
  readonly #descriptor: number | undefined
  readonly #buffer = Buffer.alloc(BYTES)
  #before: { progress: Progress; writtenAt: bigint } | undefined

  /** For the index of a write-ahead log that is in use. */
  constructor(path: string) {
    const { dev, ino } = statSync(path, { bigint: true })
    this.#inode = `${dev}:${ino}`
    this.#descriptor = REMOTE.has(statfsSync(path).type) ? undefined : open(this.#inode, path)
  }

  /** To be read before the time at which the database was last written. */
  progress(): Progress | undefined {
    if (this.#descriptor === undefined) return undefined
    readSync(this.#descriptor, this.#buffer, 0, BYTES, 0)
    const merged = this.#buffer.readUInt32LE(MERGED_AT)
    const merging = this.#buffer.readUInt32LE(MERGING_AT)
    const salts = this.#buffer.readBigUInt64LE(SALTS_AT)
    return { state: `${salts} ${merged} ${merging}`, isMerging: merging > merged }
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
    const entry = opened.get(this.#inode)
    if (this.#descriptor === undefined || !entry || --entry.users > 0) return
    opened.delete(this.#inode)
    closeSync(entry.descriptor)
  }
}

const hasMerged = (before: Progress, after: Progress) =>
  before.isMerging || after.isMerging || before.state !== after.state

function open(inode: string, path: string): number {
  const entry = opened.get(inode) ?? { descriptor: openSync(path, 'r'), users: 0 }
  entry.users++
  opened.set(inode, entry)
  return entry.descriptor
}
