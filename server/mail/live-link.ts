import { openInvitations } from '../db/open-invitations.ts'
import type { Db, MailTable } from '../db/tables.ts'

/** Whether the link in a letter still works; true for a letter without one. A dead link is not sent (C13). */
export async function isLinkAlive(db: Db, { kind, linkHash }: MailTable, now: number): Promise<boolean> {
  if (linkHash === null) return true
  switch (kind) {
    case 'INVITATION':
      return isThere(openInvitations(db, now).select('id').where('tokenHash', '=', linkHash))
    case 'PASSWORD_RESET':
      return isThere(db.selectFrom('passwordReset').select('id').where('tokenHash', '=', linkHash))
    case 'EMAIL_VERIFICATION':
      return isThere(db.selectFrom('emailVerification').select('id').where('tokenHash', '=', linkHash))
    case 'KEY_ENDS':
      return true
  }
}

const isThere = async (query: { executeTakeFirst(): Promise<unknown> }) =>
  (await query.executeTakeFirst()) !== undefined
