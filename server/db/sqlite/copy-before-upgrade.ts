import { readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../lib/app-error.ts'
import { PORTAL } from '../../lib/command-name.ts'
import { makeWithOwnerOf, syncToDisk } from '../../lib/private-files.ts'
import type { Database } from '../database.ts'

const COPY = /^portal-before-\d{4}\.db$/
const KEPT = 2
const MEBIBYTE = 1024 ** 2
const SPARE_BYTES = 16 * MEBIBYTE // for the upgrade itself and the reserve of a full disk

/** Copies it to `portal-before-NNNN.db`, by the number of the first migration. A file of that name is whole; the latest two stay. */
export async function copyBeforeUpgrade(database: Database, version: number): Promise<string> {
  const { copyTo, location: folder } = database
  if (!copyTo) throw new Error('Only SQLite can be copied.')
  const path = join(folder, `portal-before-${String(version + 1).padStart(4, '0')}.db`)
  const partial = `${path}.partial`
  requireRoom(folder)
  rmSync(partial, { force: true }) // left by a process that was killed
  makeWithOwnerOf(join(folder, 'portal.db'), partial)
  await copyTo(partial)
  syncToDisk(partial)
  renameSync(partial, path)
  syncToDisk(folder)
  removeOld(folder, path)
  return path
}

function requireRoom(folder: string): void {
  const files = ['portal.db', 'portal.db-wal'].map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
  const needed = files.reduce((sum, file) => sum + (file?.size ?? 0), SPARE_BYTES)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free >= needed) return
  throw new OperatorError(
    `The database was not upgraded: the copy that is made before needs ${inMebibytes(needed)} in ${folder}, and ${inMebibytes(free)} are free. Make room, or make a backup elsewhere and run ${PORTAL} migrate --no-backup.`,
  )
}

const inMebibytes = (bytes: number) => `${Math.ceil(bytes / MEBIBYTE).toLocaleString('en')} MiB`

/** The one that was just made stays, also that of a database older than the others. */
function removeOld(folder: string, made: string): void {
  const others = readdirSync(folder)
    .filter((name) => COPY.test(name) && join(folder, name) !== made)
    .sort()
  for (const name of others.slice(0, others.length + 1 - KEPT)) rmSync(join(folder, name))
}
