import { existsSync, realpathSync } from 'node:fs'

/** The files that SQLite has beside a database: beside the file itself, not beside a symbolic link to it. */
export interface FilesBeside {
  /** The write-ahead log. */
  log: string
  /** The index of the write-ahead log. */
  index: string
}

export function filesBeside(path: string): FilesBeside {
  const file = existsSync(path) ? realpathSync(path) : path
  return { log: `${file}-wal`, index: `${file}-shm` }
}
