import { closeSync, openSync, readSync, statfsSync, statSync } from 'node:fs'

/** NFS, SMB, 9P and FUSE, as Linux numbers them: there another process's change of a file may show late. */
const REMOTE = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546])

/**
 * Open files by inode, for all databases of this process. Closing one would release the locks that SQLite holds on it in
 * this process, so it is closed after the last connection.
 */
const opened = new Map<string, { descriptor: number; users: number }>()

/**
 * The beginning of the index of a write-ahead log (`-shm`), which all processes that use a database share: it changes
 * with every commit and every checkpoint. Reading it takes a microsecond, a query several.
 */
export class WalIndex {
  readonly #inode: string
  readonly #descriptor: number | undefined

  /** For the index of a write-ahead log that is in use. */
  constructor(path: string) {
    const { dev, ino } = statSync(path, { bigint: true })
    this.#inode = `${dev}:${ino}`
    this.#descriptor = REMOTE.has(statfsSync(path).type) ? undefined : open(this.#inode, path)
  }

  /** Fills the buffer with the first bytes; false where they cannot be relied on. */
  readInto(buffer: Buffer): boolean {
    if (this.#descriptor === undefined) return false
    readSync(this.#descriptor, buffer, 0, buffer.length, 0)
    return true
  }

  /** After the connections. */
  close(): void {
    const entry = opened.get(this.#inode)
    if (this.#descriptor === undefined || !entry || --entry.users > 0) return
    opened.delete(this.#inode)
    closeSync(entry.descriptor)
  }
}

function open(inode: string, path: string): number {
  const entry = opened.get(inode) ?? { descriptor: openSync(path, 'r'), users: 0 }
  entry.users++
  opened.set(inode, entry)
  return entry.descriptor
}
