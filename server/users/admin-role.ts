import type { Caller } from '../ctx.ts'
import type { Role } from '../db/tables.ts'
import { Failure } from '../lib/failure.ts'

/** An Admin may manage keys, so a key that may not makes nobody an Admin. To be asked inside the transaction. */
export function requireMayGrant(caller: Caller, role: Role): void {
  if (role !== 'ADMIN' || caller.kind !== 'API_KEY' || caller.managesKeys) return
  throw new Failure('FORBIDDEN', {
    says: 'This API key may not manage keys, by the policy of its organization, so it cannot make anybody an Admin. Use the role MEMBER, or ask a person who is an Admin there.',
  })
}
