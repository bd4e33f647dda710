import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { SECOND } from '../../lib/clock.ts'

const BUSY_TIMEOUT_MS = SECOND

/**
 * Opens a file of SQLite without creating, changing or locking anything that others would notice; undefined: there is
 * none. A plain read-only connection would create the index of a write-ahead log, so where nobody has left one, the file
 * is read as one that does not change. With a log, it is read as by any other reader.
 */
export function openReadOnly(path: string): DatabaseSync | undefined {
  if (!existsSync(path)) return undefined
  const isInUse = existsSync(`${path}-wal`) && existsSync(`${path}-shm`)
  const url = pathToFileURL(path)
  url.search = isInUse ? '' : '?immutable=1'
  return new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
}
