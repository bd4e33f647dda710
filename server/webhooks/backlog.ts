import type { Database } from '../db/database.ts'
import { deleteInSteps } from '../db/delete-in-steps.ts'
import type { Db } from '../db/tables.ts'
import { pauseWebhook } from './pause.ts'

/** So many deliveries of a webhook may wait. docs/webhooks.md says the same. */
export const MAX_PENDING = 100_000

interface Backlog {
  webhookId: string
  /** Half of them are left. */
  maxPending: number
  now: number
  /** The public URL of the portal. */
  origin: string
  isClosing: () => boolean
}

/**
 * Pauses a webhook for which too many deliveries wait, and drops the oldest of them: nothing more is stored for it, and
 * when it is enabled again there is room. The Admins are notified, as of one that is dead.
 */
export async function limitBacklog(database: Database, backlog: Backlog): Promise<void> {
  const { webhookId, maxPending, now, origin, isClosing } = backlog
  if ((await newestButSoMany(database.read, webhookId, maxPending)) === undefined) return
  const left = Math.floor(maxPending / 2)
  const reason = `More than ${inWords(maxPending)} deliveries were waiting: events come faster than the receiver accepts them. The oldest were dropped, and the newest ${inWords(left)} are sent when it is enabled again.`
  await database.transaction((db) => pauseWebhook(db, now, { id: webhookId, reason, origin }))
  const last = await newestButSoMany(database.read, webhookId, left)
  if (last !== undefined) await deleteInSteps(database, pendingUpTo(webhookId, last), { isClosing })
}

/** The newest of those that wait, without so many that are newer; undefined: there are not more. */
async function newestButSoMany(db: Db, webhookId: string, newer: number): Promise<string | undefined> {
  const waiting = pendingOf(db, webhookId).orderBy('id', 'desc').offset(newer).limit(1)
  return (await waiting.executeTakeFirst())?.id
}

const pendingOf = (db: Db, webhookId: string) =>
  db.selectFrom('webhookDelivery').select('id').where('webhookId', '=', webhookId).where('state', '=', 'PENDING')

const pendingUpTo = (webhookId: string, last: string) => ({
  find: (db: Db, after: string, limit: number) =>
    pendingOf(db, webhookId).where('id', '>', after).where('id', '<=', last).orderBy('id').limit(limit).execute(),
  delete: (db: Db, ids: string[]) =>
    db.deleteFrom('webhookDelivery').where('id', 'in', ids).where('state', '=', 'PENDING'),
})

const inWords = (count: number) => count.toLocaleString('en')
