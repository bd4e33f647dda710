import type { Caller } from '../ctx.ts'
import type { Role } from '../db/tables.ts'
import { mayMakeAdmins } from '../key-rules.ts'
import { AppError } from '../lib/app-error.ts'

/**
 * An Admin may manage keys, so a key that may not manage keys, or only such as are restricted as it is, cannot make
 * anybody an Admin. Call it inside the transaction.
 */
export function requireMayGrant(caller: Caller, role: Role): void {
  if (role !== 'ADMIN' || caller.kind !== 'API_KEY' || mayMakeAdmins(caller.rules)) return
  throw new AppError('FORBIDDEN', {
    message: `This API key ${caller.rules.managesKeys ? 'has networks or limits of its own' : 'may not manage keys, by the policy of its organization'}, so it cannot make anybody an Admin. Use the role MEMBER, or ask a person who is an Admin there.`,
  })
}
