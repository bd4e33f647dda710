import type { Ctx } from '../caller/ctx.ts'
import { AppError } from '../lib/app-error.ts'

/** With a mail server, a person generates keys only with a verified address (C14). Call it inside the transaction. */
export async function requireVerifiedEmail(ctx: Ctx): Promise<void> {
  if (ctx.caller.kind !== 'USER' || !ctx.sendsMail) return
  if (await isEmailVerified(ctx, ctx.caller.userId)) return
  throw new AppError('FORBIDDEN', {
    message: 'Verify your email address first: send yourself a link from your Profile page.',
  })
}

export async function isEmailVerified({ reads }: Ctx, userId: string): Promise<boolean> {
  const user = await reads.selectFrom('user').select('emailVerifiedAt').where('id', '=', userId).executeTakeFirst()
  return user !== undefined && user.emailVerifiedAt !== null
}
