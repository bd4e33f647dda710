import { countActiveKeys } from '../api-keys/api-key.ts'
import { about, insertEvent } from '../audit/audit-event.ts'
import { type Actor, COMMAND_LINE } from '../caller/ctx.ts'
import type { Database } from '../db/database.ts'
import { forNoKeyUpdate } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { AppError } from '../lib/app-error.ts'
import { checkEmail } from '../lib/check.ts'
import { MINUTE } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { type NewEmail, queueEncryptedMail } from '../mail/mail.ts'
import { webLinks } from '../mail/web-links.ts'
import { hashSecret, isWellFormed, mintSecret } from '../secrets/secret.ts'
import { byPerson, userByEmail } from '../users/create-user.ts'
import type { AuthRequest, LinkMail } from './auth-request.ts'
import { markVerified } from './email-verification.ts'
import { checkPassword } from './password.ts'
import { revokeAllSessions } from './session.ts'
import { type SignedIn, signInAs } from './sign-in.ts'

const LIFETIME_MS = 30 * MINUTE

interface NewReset {
  /** If given, the link is sent by email and begins with this URL. */
  mail?: LinkMail | undefined
  /** The link is only sent by email, so using it proves access to the mailbox. */
  isShownToNobody?: boolean
  actor?: Actor
  details?: string
  /** The address of who asks; absent: the command line. */
  ip?: string
}

/** Creates the token of a link that sets a new password, once, within 30 minutes; older links no longer work. */
export function createPasswordReset(
  database: Database,
  now: number,
  email: string,
  { mail, isShownToNobody = false, actor = COMMAND_LINE, details, ip }: NewReset = {},
): Promise<{ token: string } | undefined> {
  const address = checkEmail('email', email)
  return database.transaction(async (db) => {
    const user = await userByEmail(db, address)
    if (!user) return undefined
    await forNoKeyUpdate(db, db.selectFrom('user').select('id').where('id', '=', user.id)).execute()
    await endResets(db, user.id)
    const token = mintSecret('emr_')
    const until = now + LIFETIME_MS
    await db
      .insertInto('passwordReset')
      .values({
        id: newId(now),
        userId: user.id,
        tokenHash: hashSecret(token),
        createdAt: now,
        expiresAt: until,
        emailed: isShownToNobody ? 1 : 0,
      })
      .execute()
    await insertEvent(db, now, {
      action: 'user.reset_link_created',
      ...about('USER', user.id, user.name),
      ip,
      ...(details && { details }),
      actor,
      organizationId: user.personalOrganizationId,
    })
    if (mail) {
      const email = resetLetter(address, webLinks.resetPassword(mail.origin, token), until)
      await queueEncryptedMail(db, now, { ...email, token }, mail.encryption)
    }
    return { token }
  })
}

/** Sets a new password and signs in; other sessions are revoked. Keys stay, and are counted: somebody else may have generated them. */
export async function resetPassword(
  request: AuthRequest,
  input: { token: string; password: string },
): Promise<SignedIn & { apiKeyCount: number }> {
  checkPassword('password', input.password)
  if (!(await isUsable(request, input.token))) throw invalidLink()
  const passwordHash = await request.passwords.hash(input.password)
  return request.database.transaction(async (db) => {
    const user = await takeReset(db, input.token, { now: request.now(), ip: request.address })
    if (!user) throw invalidLink()
    await setPassword(db, user.id, passwordHash, request.now())
    await insertEvent(db, request.now(), { action: 'user.password_reset', ...byPerson(user, request.address) })
    const apiKeyCount = await countActiveKeys(db, user.personalOrganizationId, request.now())
    return { ...(await signInAs(db, request, user)), apiKeyCount }
  })
}

/** Sets a new password, inside a transaction: everything that depended on the old one is revoked. */
export async function setPassword(db: Transaction, userId: string, passwordHash: string, now: number): Promise<void> {
  db.recordRevocations([{ kind: 'PASSWORD', organizationId: '', subject: userId, endsAt: now }])
  await db.updateTable('user').set({ passwordHash }).where('id', '=', userId).execute()
  await endResets(db, userId)
  await revokeAllSessions(db, userId)
}

const resetLetter = (recipient: string, link: string, usefulUntil: number): NewEmail => ({
  organizationId: null,
  kind: 'PASSWORD_RESET',
  recipient,
  subject: 'A new password for the Edge Management Portal',
  text: [
    'To set a new password, open this link within 30 minutes; it works once:',
    '',
    link,
    '',
    'If you did not request it, do nothing: your password stays as it is.',
  ].join('\n'),
  usefulUntil,
})

const invalidLink = () =>
  new AppError('NOT_FOUND', { message: 'This link has been used, has expired or never existed. Ask for a new one.' })

async function isUsable({ database, now }: AuthRequest, token: string): Promise<boolean> {
  if (!isWellFormed('emr_', token)) return false
  const reset = await database.read
    .selectFrom('passwordReset')
    .select('id')
    .where('tokenHash', '=', hashSecret(token))
    .where('expiresAt', '>', now())
    .executeTakeFirst()
  return reset !== undefined
}

async function takeReset(db: Transaction, token: string, { now, ip }: { now: number; ip: string }) {
  const reset = await db
    .deleteFrom('passwordReset')
    .where('tokenHash', '=', hashSecret(token))
    .where('expiresAt', '>', now)
    .returning(['userId', 'emailed'])
    .executeTakeFirst()
  if (!reset) return undefined
  if (reset.emailed === 1) await markVerified(db, reset.userId, { now, ip })
  return db
    .selectFrom('user')
    .select(['id', 'name', 'email', 'personalOrganizationId'])
    .where('id', '=', reset.userId)
    .executeTakeFirst()
}

async function endResets(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('passwordReset').where('userId', '=', userId).execute()
}
