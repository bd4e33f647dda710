import type { Ctx } from '../caller/ctx.ts'
import type { Config } from '../config.ts'
import { isPostgres } from '../db/locks.ts'
import { MIGRATIONS } from '../db/migrate.ts'
import { versionOf } from '../db/migration-progress.ts'
import type { BackupScheduleTable } from '../db/tables.ts'
import { DAY, MINUTE } from '../lib/clock.ts'

/** Whoever only tries the portal needs no backup. */
const TRIAL_MS = 7 * DAY
/** A backup is verified as of a moment before its attempt began. */
const BEFORE_ATTEMPT_MS = MINUTE

export interface Problem {
  kind: 'BACKUP_FAILED' | 'BACKUP_MISSING' | 'DATABASE_NEWER'
  /** The time of the last good backup. */
  since: number | null
}

/** What is wrong with the installation, for a person who is an Admin of an organization, and the operator: not for keys. */
export async function problemsOfInstallation(ctx: Ctx, backups: Config['backups']): Promise<Problem[]> {
  const { caller, reads, now } = ctx
  if (caller.role !== 'ADMIN' || caller.kind === 'API_KEY') return []
  const organization = await reads
    .selectFrom('organization')
    .select(['kind', 'createdAt'])
    .where('id', '=', caller.organizationId)
    .executeTakeFirstOrThrow()
  if (organization.kind === 'PERSONAL') return []
  const isTrial = organization.createdAt > now() - TRIAL_MS
  const [schedule, version] = await Promise.all([
    reads.selectFrom('backupSchedule').selectAll().executeTakeFirstOrThrow(),
    versionOf(reads),
  ])
  const problems: Problem[] = []
  const { verifiedAt } = schedule
  if (backups && hasFailed(schedule, backups.everyMs, now()))
    problems.push({ kind: 'BACKUP_FAILED', since: verifiedAt })
  // An operator of PostgreSQL has other ways to back it up.
  if (!backups && !isPostgres(reads) && !isTrial) problems.push({ kind: 'BACKUP_MISSING', since: verifiedAt })
  if (version > MIGRATIONS.length) problems.push({ kind: 'DATABASE_NEWER', since: null })
  return problems
}

/** Whether the last attempt did not end with a good backup, or there was no attempt for too long. */
function hasFailed(
  { startedAt, claimedUntil, verifiedAt }: BackupScheduleTable,
  everyMs: number,
  now: number,
): boolean {
  if (verifiedAt !== null && now - verifiedAt > 2 * everyMs) return true
  const isInProgress = claimedUntil > now
  return startedAt > 0 && !isInProgress && startedAt - (verifiedAt ?? 0) > BEFORE_ATTEMPT_MS
}
