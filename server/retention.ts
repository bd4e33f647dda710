import { deleteOldEvents } from './audit/retention.ts'
import { deleteInSteps } from './db/delete-in-steps.ts'
import type { Deps } from './deps.ts'
import { expiredBefore } from './identity/retention.ts'
import { DAY } from './lib/clock.ts'
import { oldEmails } from './mail/email-queue.ts'

const LINKS = ['invitation', 'passwordReset', 'emailVerification'] as const

/**
 * Deletes what is older than the settings say: audit events, emails, sessions, links. Usage is deleted where it is added
 * up. Revocations, and the ledger, are never deleted.
 */
export async function deleteOldRecords(
  { database, config }: Deps,
  now: number,
  isClosing: () => boolean,
): Promise<void> {
  const { auditDays, emailDays, sessionDays, invitationDays } = config.retention
  const options = { isClosing }
  await deleteOldEvents(database, now - auditDays * DAY, isClosing)
  await deleteInSteps(database, oldEmails(now - emailDays * DAY), options)
  await deleteInSteps(database, expiredBefore('session', now - sessionDays * DAY), options)
  for (const table of LINKS) await deleteInSteps(database, expiredBefore(table, now - invitationDays * DAY), options)
}
