import type { OldRows } from '../db/delete-in-steps.ts'
import { firstIdAt } from '../lib/id.ts'

type Table = 'session' | 'passwordReset' | 'emailVerification' | 'invitation'

/** Sessions and links that expired before this time. None expires before it is created, and one that is sent again expires later. */
export const expiredBefore = (table: Table, before: number): OldRows => ({
  async find(db, after, limit) {
    const rows = await db
      .selectFrom(table)
      .select(['id', 'expiresAt'])
      .where('id', '>', after)
      .where('id', '<', firstIdAt(before))
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(({ id, expiresAt }) => ({ id, stays: expiresAt >= before }))
  },
  delete: (db, ids) => db.deleteFrom(table).where('id', 'in', ids).where('expiresAt', '<', before),
})
