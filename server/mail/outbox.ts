import { setImmediate as breathe } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { claimFree, tryAlone } from '../db/locks.ts'
import type { MailTable } from '../db/tables.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { firstIdAt } from '../lib/id.ts'

/** For so long whoever has taken a letter is alone with it; who is killed meanwhile leaves it to the next one. */
const LEASE_MS = 2 * MINUTE
/** After the first failed try, the second and so on; the last one stays. */
const PAUSES_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR]
const KEPT_FOR_MS = 90 * DAY
const DELETED_AT_ONCE = 500
const NEVER = 8.64e15 // the last moment that a date can hold

/** Takes the next letter that is due, so that nobody else does; undefined: there is none. */
export function takeLetter(database: Database, now: number): Promise<MailTable | undefined> {
  return database.transaction(async (db) => {
    const due = db
      .selectFrom('mail')
      .select('id')
      .where('sentAt', 'is', null)
      .where('nextTryAt', '<=', now)
      .orderBy('nextTryAt')
      .orderBy('id')
      .limit(1)
    return db
      .updateTable('mail')
      .set((eb) => ({ nextTryAt: now + LEASE_MS, tries: eb('tries', '+', 1) }))
      .where('id', '=', claimFree(db, due))
      .where('nextTryAt', '<=', now) // asked again where two have found the same one
      .returningAll()
      .executeTakeFirst()
  })
}

/** Nobody tries it any more, and what was sealed is gone for good. */
export async function noteSent(database: Database, letter: MailTable, now: number): Promise<void> {
  await settle(database, letter, { sentAt: now, trouble: null })
}

/** It is of no use any more: its time is over, or its link is dead. */
export async function layAside(database: Database, letter: MailTable, now: number): Promise<void> {
  await settle(database, letter, { nextTryAt: NEVER, usefulUntil: Math.min(letter.usefulUntil, now) })
}

export async function noteTrouble(database: Database, letter: MailTable, now: number, trouble: string): Promise<void> {
  const pauseMs = PAUSES_MS[Math.min(letter.tries, PAUSES_MS.length) - 1] ?? 0
  await database.transaction((db) =>
    db
      .updateTable('mail')
      .set({ nextTryAt: now + pauseMs, trouble })
      .where('id', '=', letter.id)
      .where('sentAt', 'is', null)
      .where('tries', '=', letter.tries) // else somebody has taken it over
      .execute(),
  )
}

async function settle(database: Database, { id, sealed }: MailTable, end: Partial<MailTable>): Promise<void> {
  await database.transaction((db) =>
    db
      .updateTable('mail')
      .set({ ...end, ...(sealed === 1 && { text: '' }) })
      .where('id', '=', id)
      .execute(),
  )
}

/** Letters are of no interest after 90 days. */
export async function deleteOldMail(database: Database, now: number): Promise<void> {
  // Ids begin with their time, so the oldest are found without a look at the others.
  const old = (db: Database['read']) =>
    db
      .selectFrom('mail')
      .select('id')
      .where('id', '<', firstIdAt(now - KEPT_FOR_MS))
      .orderBy('id')
      .limit(DELETED_AT_ONCE)
  for (;;) {
    if ((await old(database.read).execute()).length === 0) return
    const isDone = await database.transaction(async (db) => {
      if (!(await tryAlone(db))) return true
      await db.deleteFrom('mail').where('id', 'in', old(db)).execute()
      return false
    })
    if (isDone) return
    await breathe() // SQLite answers without letting anybody else have a turn
  }
}
