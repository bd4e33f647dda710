import type { AuditEventTable } from '../db/audit-event-table.ts'
import type { OldRows } from '../db/delete-in-steps.ts'
import { firstIdAt } from '../lib/id.ts'
import type { AuditAction } from './actions.ts'

/** Records of access that was taken away, which are never deleted: they answer who revoked what, however late. */
const STORED_FOREVER: readonly AuditAction[] = [
  'api_key.revoked',
  'api_keys.revoked',
  'api_key.leaked',
  'api_key.rotated', // with an overlap of 0 it revokes
  'api_keys.policy_changed', // keys above the maximum are revoked
  'api_keys.switched_off',
  'api_keys.released',
  'database.restored',
  'user.removed',
  'user.left',
  'user.role_changed',
  'support.revoked',
]

const forever = new Set<string>(STORED_FOREVER)

/** Audit events of before this time, except records of revokes. */
export const oldEvents = (before: number): OldRows => ({
  async find(db, after, limit) {
    const rows = await db
      .selectFrom('auditEvent')
      .select(['id', 'action', 'actorKind'])
      .where('id', '>', after)
      .where('id', '<', firstIdAt(before))
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(({ id, ...event }) => ({ id, stays: forever.has(event.action) || isKeyOfKey(event) }))
  },
  delete: (db, ids) => db.deleteFrom('auditEvent').where('id', 'in', ids),
})

/** Says which key generated which: what a leaked key and its descendants did is asked long after they were revoked. */
const isKeyOfKey = ({ action, actorKind }: Pick<AuditEventTable, 'action' | 'actorKind'>) =>
  action === 'api_key.generated' && actorKind === 'API_KEY'
