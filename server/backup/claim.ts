import type { ScheduledBackups } from '../config.ts'
import type { Database } from '../db/database.ts'
import { forUpdate } from '../db/locks.ts'
import type { BackupScheduleTable } from '../db/tables.ts'
import { MINUTE } from '../lib/clock.ts'

/** Renewed while a backup is being made: from a process that was killed, another takes over after this time. */
const CLAIM_MS = 2 * MINUTE
/** After a failure. */
export const RETRY_AFTER_MS = 10 * MINUTE

interface Claiming extends Pick<ScheduledBackups, 'everyMs'> {
  claimant: string
  /** There is no verified backup in the folder: then one is due, whatever the database says. */
  hasNone: boolean
}

/** Whether a backup is due, and this process is the one to make it. */
export function claimBackup(database: Database, { claimant, everyMs, hasNone }: Claiming): Promise<boolean> {
  return database.transaction(async (db) => {
    const schedule = await forUpdate(db, db.selectFrom('backupSchedule').selectAll()).executeTakeFirstOrThrow()
    const now = database.now()
    if (now < dueAt(schedule, { everyMs, hasNone, now })) return false
    const claim = { claimedBy: claimant, claimedUntil: now + CLAIM_MS, startedAt: now }
    await db.updateTable('backupSchedule').set(claim).execute()
    return true
  })
}

function dueAt(
  schedule: BackupScheduleTable,
  { everyMs, hasNone, now }: Pick<Claiming, 'everyMs' | 'hasNone'> & { now: number },
): number {
  /** A time that is later than it can be was written while the clock was ahead: otherwise none would be made until then. */
  const plausible = (at: number | null) => (at === null || at > now + 2 * CLAIM_MS ? 0 : at)
  const [claimedUntil, startedAt] = [plausible(schedule.claimedUntil), plausible(schedule.startedAt)]
  const verifiedAt = hasNone ? 0 : plausible(schedule.verifiedAt)
  return Math.max(claimedUntil, startedAt + Math.min(everyMs, RETRY_AFTER_MS), verifiedAt + everyMs)
}

/** Keeps the claim while the backup is being made. */
export const renewClaim = (database: Database, claimant: string): Promise<unknown> =>
  change(database, claimant, { claimedUntil: database.now() + CLAIM_MS })

/** Gives it back; with the time of the backup if that has been verified. */
export const releaseClaim = (database: Database, claimant: string, verifiedAt?: number): Promise<unknown> =>
  change(database, claimant, { claimedUntil: 0, ...(verifiedAt !== undefined && { verifiedAt }) })

const change = (database: Database, claimant: string, values: Partial<BackupScheduleTable>) =>
  database.transaction((db) => db.updateTable('backupSchedule').set(values).where('claimedBy', '=', claimant).execute())
