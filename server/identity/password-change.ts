import { insertEvent } from '../audit/audit-event.ts'
import { type Ctx, inTransaction, type UserCaller } from '../caller/ctx.ts'
import { badInput } from '../lib/check.ts'
import { byPerson } from '../users/create-user.ts'
import type { AuthRequest } from './auth-request.ts'
import { checkPassword } from './password.ts'
import { setPassword } from './password-reset.ts'
import { findByPassword, requireUnchanged, type SignedIn, signInAs } from './sign-in.ts'

/** A person who knows the old password sets a new one. All sessions are revoked, and a new one starts here. */
export async function changePassword(
  outer: Ctx<UserCaller>,
  request: AuthRequest,
  input: { password: string; newPassword: string },
): Promise<SignedIn> {
  checkPassword('newPassword', input.newPassword)
  const user = await findByPassword(request, outer.caller.email, input.password)
  if (!user) throw badInput('password', 'password: this is not your current password.')
  const passwordHash = await request.passwords.hash(input.newPassword)
  return inTransaction({ ...outer, usesReserve: 'sign-in' }, async ({ db, now }) => {
    await requireUnchanged(db, user)
    await setPassword(db, user.id, passwordHash, now())
    const event = { action: 'user.password_changed', ...byPerson(user, request.address), budget: 'SIGN_IN' } as const
    await insertEvent(db, now(), event)
    return signInAs(db, request, user)
  })
}
