import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { type Check, type Finding, failure, success, warning } from './check.ts'
import { hasTable, type ReadOnlyDatabase } from './read-only-database.ts'

const UNITS: Record<string, number> = { d: DAY, h: HOUR, m: MINUTE, s: SECOND }

/** Whether there are backups, and how old the newest is: the last that was proven to be restorable, or else the last file. */
export const backup: Check = {
  name: 'backup',
  async run({ env, database, options }) {
    const folder = env['BACKUP_DIR']?.trim()
    if (!folder)
      return [warning('BACKUP_DIR is not set: the portal makes no backups.', 'Set it, or make backups in another way.')]
    const newest = newestIn(folder)
    if (newest instanceof Error)
      return [
        failure(`The folder of BACKUP_DIR cannot be read (${newest.message}).`, 'Create it, or correct BACKUP_DIR.'),
      ]
    if (newest === undefined)
      return [warning('There is no backup in BACKUP_DIR yet.', 'Start the portal, which makes one by schedule.')]
    const oldAfterMs = 2 * everyMs(env['BACKUP_EVERY'])
    const verified = await verifiedAt(database)
    if (verified === null)
      return [
        warning('No backup has been proven to be restorable yet.', 'See the log of the portal, which verifies each.'),
      ]
    const [what, at] = verified === undefined ? ['newest backup', newest] : ['newest verified backup', verified]
    return [ageFinding(what, options.now() - at, oldAfterMs)]
  },
}

function ageFinding(what: string, ageMs: number, oldAfterMs: number): Finding {
  const words = `The ${what} is ${Math.max(0, Math.round(ageMs / HOUR))} hours old.`
  if (ageMs <= oldAfterMs) return success(words)
  return warning(words, 'See the log of the portal for why there has been none since then.')
}

/** When a backup was last proven to be restorable; null: none was; undefined: that is not recorded. */
async function verifiedAt(database: ReadOnlyDatabase | undefined): Promise<number | null | undefined> {
  if (!database || !(await hasTable(database, 'backupSchedule'))) return undefined
  const [row] = await database.query('select "verifiedAt" from "backupSchedule"')
  return row?.['verifiedAt'] == null ? null : Number(row['verifiedAt'])
}

/** As `24h`, which is the default. */
function everyMs(text: string | undefined): number {
  const [, number = '24', unit = 'h'] = /^(\d{1,6})([dhms])$/.exec(text?.trim() ?? '') ?? []
  return Number(number) * (UNITS[unit] ?? HOUR)
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
