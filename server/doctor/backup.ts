import { accessSync, constants } from 'node:fs'
import { verifiedIn } from '../backup/folder.ts'
import { DAY, HOUR } from '../lib/clock.ts'
import { durationOf } from '../lib/duration.ts'
import { messageOf } from '../lib/error-text.ts'
import { type ReadOnlyDatabase, rowsOf } from './read-only-database.ts'
import { type Found, failure, type Installation, success, warning } from './result.ts'

/** Whether there are backups, and when the last one was proven to be restorable. */
export async function backup({ env, database, options }: Installation): Promise<Found> {
  const folder = env['BACKUP_DIR']?.trim()
  if (!folder)
    return warning('BACKUP_DIR is not set: the portal makes no backups.', 'Set it, or make backups in another way.')
  const problem = problemOf(folder)
  if (problem !== undefined)
    return failure(
      `The folder of BACKUP_DIR cannot be used (${problem}).`,
      'Create it, correct BACKUP_DIR, or change its owner.',
    )
  const verified = await verifiedAt(database)
  if (verified === undefined)
    return warning(
      'No backup has been proven to be restorable yet.',
      'Start the portal, which makes and verifies one, and see its log.',
    )
  if (verifiedIn(folder).length === 0)
    return warning(
      'The last verified backup is no longer in BACKUP_DIR.',
      'If nobody has moved it elsewhere, look for why.',
    )
  const ageMs = options.now() - verified
  if (ageMs < -HOUR)
    return warning('The newest verified backup is of a time that is still to come.', 'Set the clock of this machine.')
  const words = `The newest verified backup is ${Math.max(0, Math.round(ageMs / HOUR))} hours old.`
  const everyMs = durationOf(env['BACKUP_EVERY']?.trim() ?? '') ?? DAY
  if (ageMs <= 2 * everyMs) return success(words)
  return warning(words, 'See the log of the portal for why there has been none since then.')
}

/** When a backup was last proven to be restorable; undefined: that is not recorded. */
async function verifiedAt(database: ReadOnlyDatabase | undefined): Promise<number | undefined> {
  const [row] = await rowsOf(database, 'backupSchedule', 'select "verifiedAt" from "backupSchedule"')
  return row?.['verifiedAt'] == null ? undefined : Number(row['verifiedAt'])
}

function problemOf(folder: string): string | undefined {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
