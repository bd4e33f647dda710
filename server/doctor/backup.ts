import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DAY, HOUR } from '../lib/clock.ts'
import { type Check, failure, success, warning } from './check.ts'

const OLD_AFTER_MS = 2 * DAY

/** Whether there are backups, and how old the newest is. */
export const backup: Check = {
  name: 'backup',
  run({ env, options }) {
    const folder = env['BACKUP_DIR']?.trim()
    if (!folder)
      return [warning('BACKUP_DIR is not set: the portal makes no backups.', 'Set it, or make backups in another way.')]
    const newest = newestIn(folder)
    if (newest instanceof Error)
      return [
        failure(`The folder of BACKUP_DIR cannot be read (${newest.message}).`, 'Create it, or correct BACKUP_DIR.'),
      ]
    if (newest === undefined)
      return [warning('There is no backup in BACKUP_DIR yet.', 'Start the portal, or run a backup now.')]
    const ageMs = options.now() - newest
    const words = `The newest backup is ${Math.max(0, Math.round(ageMs / HOUR))} hours old.`
    return [
      ageMs > OLD_AFTER_MS
        ? warning(words, 'See the log of the portal for why no backup was made since then.')
        : success(words),
    ]
  },
}

/** When the newest file was written. */
function newestIn(folder: string): number | undefined | Error {
  try {
    const files = readdirSync(folder).map((name) => statSync(join(folder, name)))
    return files.filter((file) => file.isFile()).reduce<number | undefined>(later, undefined)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const later = (newest: number | undefined, { mtimeMs }: { mtimeMs: number }) => Math.max(newest ?? 0, mtimeMs)
