import type { Ctx } from '../ctx.ts'
import { AppError } from '../lib/app-error.ts'

/**
 * Where the portal sends email, a person generates keys only with a verified address (C14). A key acts for its
 * organization, and the command line for the operator. Call it inside the transaction.
 */
export async function requireVerifiedEmail(ctx: Ctx): Promise<void> {
  if (ctx.caller.kind !== 'USER' || !ctx.sendsMail) return
  if (await isEmailVerified(ctx, ctx.caller.userId)) return
  throw new AppError('FORBIDDEN', {
    message: 'Verify your email address first: send yourself a link from your Profile page.',
  })
}

export async function isEmailVerified({ db }: Ctx, userId: string): Promise<boolean> {
  const user = await db.selectFrom('user').select('emailVerifiedAt').where('id', '=', userId).executeTakeFirst()
  return user !== undefined && user.emailVerifiedAt !== null
}
