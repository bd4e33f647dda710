import type { Caller } from '../ctx.ts'
import type { Role } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'

/**
 * An Admin may manage keys, so a key that may not manage keys cannot make anybody an Admin. Call it inside the
 * transaction.
 */
export function requireMayGrant(caller: Caller, role: Role): void {
  if (role !== 'ADMIN' || caller.kind !== 'API_KEY' || caller.rules.managesKeys) return
  throw new AppError('FORBIDDEN', {
    message:
      'This API key may not manage keys, by the policy of its organization, so it cannot make anybody an Admin. Use the role MEMBER, or ask a person who is an Admin there.',
  })
}
