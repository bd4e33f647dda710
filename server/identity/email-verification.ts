import { insertEvent } from '../audit/audit-event.ts'
import type { UserCaller } from '../caller/ctx.ts'
import { forNoKeyUpdate } from '../db/locks.ts'
import type { Db, UserTable } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { AppError } from '../lib/app-error.ts'
import { HOUR } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { queueEncryptedMail } from '../mail/mail.ts'
import { webLinks } from '../mail/web-links.ts'
import { hashSecret, isWellFormed, mintSecret } from '../secrets/secret.ts'
import { byPerson } from '../users/create-user.ts'
import type { AuthRequest, LinkMail } from './auth-request.ts'
import type { CountMail } from './backoff.ts'

const LIFETIME_MS = 24 * HOUR

/** Sends the link that verifies an address, inside the transaction that causes it; older links no longer work. */
export async function sendVerification(
  db: Transaction,
  now: number,
  { id: userId, email }: Pick<UserTable, 'id' | 'email'>,
  { origin, encryption }: LinkMail,
): Promise<void> {
  await forNoKeyUpdate(db, db.selectFrom('user').select('id').where('id', '=', userId)).execute()
  await endVerifications(db, userId)
  const token = mintSecret('emv_')
  const until = now + LIFETIME_MS
  await db
    .insertInto('emailVerification')
    .values({ id: newId(now), userId, tokenHash: hashSecret(token), createdAt: now, expiresAt: until })
    .execute()
  const message = {
    organizationId: null,
    kind: 'EMAIL_VERIFICATION',
    recipient: email,
    subject: 'Verify your email address',
    text: textWith(webLinks.verifyEmail(origin, token)),
    usefulUntil: until,
    token,
  } as const
  await queueEncryptedMail(db, now, message, encryption)
}

/** Sends the link again to a signed-in person who has not verified their address yet. */
export async function sendVerificationAgain(
  { database, now, address, mail }: AuthRequest,
  { userId: id, email }: UserCaller,
  count: CountMail,
): Promise<void> {
  if (!mail)
    throw new AppError('FORBIDDEN', { message: 'This portal sends no email, and asks for no verified address.' })
  await count(email, address)
  await database.transaction(async (db) => {
    const user = await db.selectFrom('user').select('emailVerifiedAt').where('id', '=', id).executeTakeFirst()
    if (user?.emailVerifiedAt === null) await sendVerification(db, now(), { id, email }, mail)
  })
}

/** Following the link proves access to the mailbox. It works once, and signs nobody in. */
export async function verifyEmail({ database, now, address }: AuthRequest, token: string): Promise<{ email: string }> {
  if (!isWellFormed('emv_', token)) throw invalidLink()
  return database.transaction(async (db) => {
    const taken = await db
      .deleteFrom('emailVerification')
      .where('tokenHash', '=', hashSecret(token))
      .where('expiresAt', '>', now())
      .returning('userId')
      .executeTakeFirst()
    if (!taken) throw invalidLink()
    return { email: await markVerified(db, taken.userId, { now: now(), ip: address }) }
  })
}

/** Marks the address as verified, inside a transaction; a verified address is left as it is. */
export async function markVerified(
  db: Transaction,
  userId: string,
  { now, ip }: { now: number; ip: string },
): Promise<string> {
  await endVerifications(db, userId)
  const verified = await db
    .updateTable('user')
    .set((eb) => ({ emailVerifiedAt: eb.fn.coalesce('emailVerifiedAt', eb.val(now)) }))
    .where('id', '=', userId)
    .returning(['name', 'email', 'personalOrganizationId', 'emailVerifiedAt'])
    .executeTakeFirstOrThrow()
  if (verified.emailVerifiedAt === now) {
    const event = { action: 'user.email_verified', ...byPerson({ id: userId, ...verified }, ip) } as const
    await insertEvent(db, now, { ...event, subject: verified.email })
  }
  return verified.email
}

async function endVerifications(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('emailVerification').where('userId', '=', userId).execute()
}

const invalidLink = () =>
  new AppError('NOT_FOUND', {
    message: 'This link has been used, has expired or never existed. Send a new one from your Profile page.',
  })

const textWith = (link: string) =>
  [
    'Somebody has signed up to the Edge Management Portal with this email address. If it was you, verify the address',
    'within 24 hours by this link; it works once:',
    '',
    link,
    '',
    'If it was not you, do nothing. Without this, nobody generates API keys under your address.',
  ].join('\n')
