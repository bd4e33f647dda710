import { about, insertEvent } from '../audit/audit-event.ts'
import { changesBetween } from '../audit/changed-fields.ts'
import { COMMAND_LINE } from '../caller/ctx.ts'
import type { Database } from '../db/database.ts'
import { checkEmail } from '../lib/check.ts'
import { userByEmail } from './create-user.ts'

/** Adds a person to the vendor's support staff, or removes them; false when no account has the address. */
export function markSupport(database: Database, now: number, email: string, support: boolean): Promise<boolean> {
  const address = checkEmail('email', email)
  return database.transaction(
    async (db) => {
      const user = await userByEmail(db, address)
      if (!user) return false
      const before = await db.selectFrom('user').select('support').where('id', '=', user.id).executeTakeFirstOrThrow()
      await db
        .updateTable('user')
        .set({ support: support ? 1 : 0 })
        .where('id', '=', user.id)
        .execute()
      if (!support) db.recordRevocations([{ kind: 'SUPPORT', organizationId: '', subject: user.id, endsAt: now }])
      await insertEvent(db, now, {
        action: support ? 'support.granted' : 'support.revoked',
        ...about('USER', user.id, user.name),
        changes: changesBetween({ support: before.support === 1 }, { support }),
        actor: COMMAND_LINE,
        organizationId: user.personalOrganizationId,
      })
      return true
    },
    support ? {} : { usesReserve: 'revoke' },
  )
}
