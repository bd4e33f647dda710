import { deleteOldCalls } from '../api-keys/calls/call-retention.ts'
import { deleteRowsOfDeletedKeys } from '../api-keys/deletion.ts'
import { removeExpiredKeys } from '../api-keys/expiry/expiry.ts'
import { notifyExpiringKeys } from '../api-keys/expiry/notifications.ts'
import { oldRevokedKeys } from '../api-keys/revoked/revoked-key.ts'
import { compactUsage } from '../api-keys/usage/days.ts'
import { oldEvents } from '../audit/audit-retention.ts'
import type { Deps } from '../caller/deps.ts'
import { storageUsed } from '../config/counts.ts'
import { LIMITS } from '../config/limits.ts'
import { originOf } from '../config.ts'
import { STORED_KINDS } from '../db/byte-budgets.ts'
import { deleteInSteps, type OldRows, type StepOptions } from '../db/delete-in-steps.ts'
import { forgetPeriods, largestStored } from '../db/stored-bytes.ts'
import { reportOffline } from '../devices/offline.ts'
import { expiredRecords, RECORD_LIFETIME_MS } from '../graphql/idempotency/earlier-answers.ts'
import { expiredBefore } from '../identity/expired-rows.ts'
import { AppError } from '../lib/app-error.ts'
import { DAY, SECOND } from '../lib/clock.ts'
import { upTo } from '../lib/random.ts'
import { within } from '../lib/within.ts'
import { oldEmails } from '../mail/email-queue.ts'
import { noteSecret } from '../mail/secret-fingerprint.ts'
import { tidyDeliveries } from '../webhooks/delivery-retention.ts'
import { recountWaiting } from '../webhooks/waiting-bytes.ts'

export const JOBS_EVERY_MS = 30 * SECOND
const JITTER = 1 / 6 // so that replicas that start together do not run their jobs at the same time
const CLOSE_WITHIN_MS = 5 * SECOND

type IsClosing = () => boolean

/** All periodic jobs, in this order. Each is correct when any number of processes run it at once, and when killed. */
const JOBS: Record<
  string,
  (deps: Deps, now: number, isClosing: IsClosing, progress: RetentionProgress) => Promise<void>
> = {
  'devices that went offline': ({ database }, now, isClosing) => reportOffline(database, now, isClosing),
  'expiry notifications': ({ database, config }, now) => notifyExpiringKeys(database, now, originOf(config)),
  'removal of expired keys': ({ database }, now) => removeExpiredKeys(database, now),
  'compaction of usage': ({ database, config }, now) => compactUsage(database, now, config.retention),
  'deletion of old calls': ({ database }, now, isClosing) => deleteOldCalls(database, now, isClosing),
  'fingerprint of the secret': ({ database, config }, now) => noteSecret(database, config, now),
  'deletion of rows of deleted keys': ({ database }, _now, isClosing) => deleteRowsOfDeletedKeys(database, isClosing),
  'deletion of old records': deleteOldRecords,
  'stored bytes': tidyStoredBytes,
  'deliveries of webhooks': ({ database, config }, now, isClosing) =>
    tidyDeliveries(database, now, { origin: originOf(config), isClosing }),
}

async function tidyStoredBytes({ database }: Deps, now: number, isClosing: IsClosing): Promise<void> {
  await database.transaction((db) => forgetPeriods(db, now))
  await recountWaiting(database, isClosing)
  const largest = await largestStored(database.read, now)
  for (const kind of STORED_KINDS) storageUsed.set(kind, (largest.get(kind) ?? 0) / LIMITS[kind])
}

/** Runs every job once. A job that fails is logged and tried again the next time; the others still run. */
export async function runBackgroundJobs(
  deps: Deps,
  isClosing: IsClosing = () => false,
  progress: RetentionProgress = { eventsSearchedTo: '' },
): Promise<void> {
  for (const [job, work] of Object.entries(JOBS)) {
    try {
      await work(deps, deps.now(), isClosing, progress)
    } catch (error) {
      const isDatabaseAway = error instanceof AppError && error.code === 'UNAVAILABLE'
      deps.log[isDatabaseAway ? 'warn' : 'error'](
        { err: error, job },
        'a background job failed; it will be tried again',
      )
    }
  }
}

/** Runs the jobs every half a minute, one round at a time, until it is closed. */
export function startBackgroundJobs(deps: Deps): { close(): Promise<void> } {
  const { jobsEveryMs: everyMs = JOBS_EVERY_MS } = deps
  const progress: RetentionProgress = { eventsSearchedTo: '' }
  let timer: NodeJS.Timeout | undefined
  let inProgress = Promise.resolve()
  let isClosed = false

  function wait(): void {
    const ms = everyMs * (1 - JITTER) + upTo(everyMs * 2 * JITTER)
    timer = setTimeout(() => {
      inProgress = runBackgroundJobs(deps, () => isClosed, progress).then(() => {
        if (!isClosed) wait()
      })
    }, ms).unref()
  }

  wait()
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      const late = () => new Error('The background jobs took too long.')
      await within(CLOSE_WITHIN_MS, inProgress, late).catch((error) =>
        deps.log.warn({ err: error }, 'background jobs were interrupted'),
      )
    },
  }
}

const LINKS = ['invitation', 'passwordReset', 'emailVerification'] as const

/** From one round to the next. */
interface RetentionProgress {
  /** The audit events up to this id have been searched: what is left of them stays, so it is not read again and again. */
  eventsSearchedTo: string
}

/** Deletes what is older than the settings say, but usage, which is deleted where it is added up, and revocations, which stay. */
async function deleteOldRecords(
  { database, config, log }: Deps,
  now: number,
  isClosing: () => boolean,
  progress: RetentionProgress,
): Promise<void> {
  const { auditDays, emailDays, sessionDays, invitationDays } = config.retention
  const logged = async (table: string, days: number, work: (options: StepOptions) => Promise<unknown>) => {
    let deleted = 0
    const onDeleted = (rows: number) => {
      deleted += rows
    }
    await work({ isClosing, onDeleted })
    if (deleted > 0) log.info({ table, days, deleted }, 'records older than the retention period were deleted')
  }
  await logged('auditEvent', auditDays, async (options) => {
    const after = progress.eventsSearchedTo
    progress.eventsSearchedTo = await deleteInSteps(database, oldEvents(now - auditDays * DAY), { ...options, after })
  })
  const ago = (days: number) => now - days * DAY
  const others: [table: string, days: number, rows: OldRows][] = [
    ['revokedApiKey', auditDays, oldRevokedKeys(ago(auditDays))],
    ['email', emailDays, oldEmails(ago(emailDays))],
    ['idempotencyRecord', RECORD_LIFETIME_MS / DAY, expiredRecords(now)],
    ['session', sessionDays, expiredBefore('session', ago(sessionDays))],
  ]
  for (const table of LINKS) others.push([table, invitationDays, expiredBefore(table, ago(invitationDays))])
  for (const [table, days, rows] of others)
    await logged(table, days, (options) => deleteInSteps(database, rows, options))
}
