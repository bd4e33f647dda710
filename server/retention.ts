import { oldRevokedKeys } from './api-keys/revoked/revoked-key.ts'
import { deleteOldEvents } from './audit/retention.ts'
import { deleteInSteps, type StepOptions } from './db/delete-in-steps.ts'
import type { Deps } from './deps.ts'
import { expiredRecords, RECORD_LIFETIME_MS } from './idempotency/record.ts'
import { expiredBefore } from './identity/retention.ts'
import { DAY } from './lib/clock.ts'
import { oldEmails } from './mail/email-queue.ts'

const LINKS = ['invitation', 'passwordReset', 'emailVerification'] as const

/**
 * Deletes what is older than the settings say: audit events, records of revoked keys, emails, sessions, links. Usage is deleted where it is added
 * up. Revocations, and the ledger, are never deleted.
 */
export async function deleteOldRecords(
  { database, config, log }: Deps,
  now: number,
  isClosing: () => boolean,
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
  await logged('auditEvent', auditDays, (options) => deleteOldEvents(database, now - auditDays * DAY, options))
  await logged('revokedApiKey', auditDays, (options) =>
    deleteInSteps(database, oldRevokedKeys(now - auditDays * DAY), options),
  )
  await logged('email', emailDays, (options) => deleteInSteps(database, oldEmails(now - emailDays * DAY), options))
  await logged('idempotencyRecord', RECORD_LIFETIME_MS / DAY, (options) =>
    deleteInSteps(database, expiredRecords(now), options),
  )
  await logged('session', sessionDays, (options) =>
    deleteInSteps(database, expiredBefore('session', now - sessionDays * DAY), options),
  )
  for (const table of LINKS)
    await logged(table, invitationDays, (options) =>
      deleteInSteps(database, expiredBefore(table, now - invitationDays * DAY), options),
    )
}
