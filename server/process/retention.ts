import { oldRevokedKeys } from '../api-keys/revoked/revoked-key.ts'
import { oldEvents } from '../audit/audit-retention.ts'
import type { Deps } from '../caller/deps.ts'
import { deleteInSteps, type OldRows, type StepOptions } from '../db/delete-in-steps.ts'
import { expiredRecords, RECORD_LIFETIME_MS } from '../graphql/idempotency/earlier-answers.ts'
import { expiredBefore } from '../identity/expired-rows.ts'
import { DAY } from '../lib/clock.ts'
import { oldEmails } from '../mail/email-queue.ts'

const LINKS = ['invitation', 'passwordReset', 'emailVerification'] as const

/** From one round to the next. */
export interface RetentionProgress {
  /** The audit events up to this id have been searched: what is left of them stays, so it is not read again and again. */
  eventsSearchedTo: string
}

/** Deletes what is older than the settings say, but usage, which is deleted where it is added up, and revocations, which stay. */
export async function deleteOldRecords(
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
