import type { EmailTable } from '../db/email-table.ts'
import { openInvitations } from '../db/open-invitations.ts'
import type { Db } from '../db/tables.ts'

/**
 * Whether the link in an email still works; true for an email without one. An email whose link no longer works is not
 * sent (C13).
 */
export async function isLinkValid(db: Db, { kind, linkHash }: EmailTable, now: number): Promise<boolean> {
  if (linkHash === null) return true
  switch (kind) {
    case 'INVITATION':
      return exists(openInvitations(db, now).select('id').where('tokenHash', '=', linkHash))
    case 'PASSWORD_RESET':
      return exists(db.selectFrom('passwordReset').select('id').where('tokenHash', '=', linkHash))
    case 'EMAIL_VERIFICATION':
      return exists(db.selectFrom('emailVerification').select('id').where('tokenHash', '=', linkHash))
    case 'KEY_EXPIRY':
    case 'KEY_LEAKED':
    case 'CANARY_KEY':
    case 'DATABASE_RESTORED':
    case 'WEBHOOK_PAUSED':
      return true
  }
}

const exists = async (query: { executeTakeFirst(): Promise<unknown> }) => (await query.executeTakeFirst()) !== undefined
