import type { Database } from '../db/database.ts'
import type { OldRows } from '../db/delete-in-steps.ts'
import type { EmailTable } from '../db/email-table.ts'
import { forUpdateSkipLocked } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { firstIdAt } from '../lib/id.ts'

/** How long a worker has a claimed email to itself; if the worker is killed, another one takes the email after that. */
const LEASE_MS = 2 * MINUTE
/** Pauses after the first failed attempt, the second and so on; the last one repeats. */
const PAUSES_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR]
const NEVER = 8.64e15 // the latest time that a Date can hold

/** Claims the next email that is due, so that no other worker does; undefined: there is none. */
export function claimEmail(database: Database, now: number): Promise<EmailTable | undefined> {
  return database.transaction(async (db) => {
    const due = db
      .selectFrom('email')
      .select('id')
      .where('sentAt', 'is', null)
      .where('nextTryAt', '<=', now)
      .orderBy('nextTryAt')
      .orderBy('id')
      .limit(1)
    return db
      .updateTable('email')
      .set((eb) => ({ nextTryAt: now + LEASE_MS, tries: eb('tries', '+', 1) }))
      .where('id', '=', forUpdateSkipLocked(db, due))
      .where('nextTryAt', '<=', now) // checked again, in case two workers found the same one
      .returningAll()
      .executeTakeFirst()
  })
}

/** It is not tried again, and an encrypted text is deleted. */
export async function noteSent(database: Database, email: EmailTable, now: number): Promise<void> {
  await settle(database, email, { sentAt: now, lastError: null })
}

/** It is no longer useful: it is out of date, or its link no longer works. */
export async function expireEmail(database: Database, email: EmailTable, now: number): Promise<void> {
  await settle(database, email, { nextTryAt: NEVER, usefulUntil: Math.min(email.usefulUntil, now) })
}

export async function noteDeliveryError(
  database: Database,
  email: EmailTable,
  now: number,
  lastError: string,
): Promise<void> {
  const pauseMs = PAUSES_MS[Math.min(email.tries, PAUSES_MS.length) - 1] ?? 0
  await database.transaction((db) =>
    db
      .updateTable('email')
      .set({ nextTryAt: now + pauseMs, lastError })
      .where('id', '=', email.id)
      .where('sentAt', 'is', null)
      .where('tries', '=', email.tries) // else another worker has taken it over
      .execute(),
  )
}

async function settle(database: Database, { id, encrypted }: EmailTable, end: Partial<EmailTable>): Promise<void> {
  await database.transaction((db) =>
    db
      .updateTable('email')
      .set({ ...end, ...(encrypted === 1 && { text: '' }) })
      .where('id', '=', id)
      .execute(),
  )
}

/** What an organization would still send to somebody, who is no longer to learn it, is not sent. */
export async function expireEmailsTo(db: Db, organizationId: string, recipient: string, now: number): Promise<void> {
  await db
    .updateTable('email')
    .set({ nextTryAt: NEVER, usefulUntil: now })
    .where('recipient', '=', recipient)
    .where('organizationId', '=', organizationId)
    .where('sentAt', 'is', null)
    .where('usefulUntil', '>', now)
    .execute()
}

/** Emails of before this time, for the background job that deletes them. */
export const oldEmails = (before: number): OldRows => ({
  find: (db, after, limit) =>
    db
      .selectFrom('email')
      .select('id')
      .where('id', '>', after)
      .where('id', '<', firstIdAt(before))
      .orderBy('id')
      .limit(limit)
      .execute(),
  delete: (db, ids) => db.deleteFrom('email').where('id', 'in', ids),
})
