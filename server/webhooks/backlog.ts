import { isBacklogFull } from '../audit/webhook-events/count-deliveries.ts'
import type { Database } from '../db/database.ts'
import { deleteInSteps } from '../db/delete-in-steps.ts'
import type { Db } from '../db/tables.ts'
import { organizationsWithEvents } from './fan-out.ts'
import { pauseWebhook } from './pause-webhook.ts'
import { recountWaitingOf } from './waiting-bytes.ts'

/** So many deliveries of a webhook may wait. docs/webhooks.md says the same. */
export const MAX_PENDING = 100_000
const FEWER_IF_FULL = 10

interface Waiting {
  /** Half of them are left. */
  maxPending: number
  now: number
  origin: string
  isClosing: () => boolean
}

interface Backlog extends Waiting {
  webhookId: string
}

/** Pauses a webhook for which too many deliveries wait, fewer if the organization has too many bytes of them, and drops the oldest: so there is room when it is enabled again. */
export async function limitBacklog(database: Database, backlog: Backlog): Promise<void> {
  const { webhookId, maxPending, now, origin, isClosing } = backlog
  const webhooks = database.read.selectFrom('webhook').select('organizationId').where('id', '=', webhookId)
  const { organizationId } = (await webhooks.executeTakeFirst()) ?? {}
  if (organizationId === undefined) return
  const most = (await isBacklogFull(database.read, organizationId)) ? Math.ceil(maxPending / FEWER_IF_FULL) : maxPending
  if ((await newestButSoMany(database.read, webhookId, most)) === undefined) return
  const left = Math.floor(most / 2)
  const reason = `More than ${inWords(most)} deliveries were waiting: events come faster than the receiver accepts them. The oldest were dropped, and the newest ${inWords(left)} are sent when it is enabled again.`
  await database.transaction((db) => pauseWebhook(db, now, { id: webhookId, reason, origin }))
  const last = await newestButSoMany(database.read, webhookId, left)
  if (last !== undefined) await deleteInSteps(database, pendingUpTo(webhookId, last), { isClosing })
  await recountWaitingOf(database, organizationId) // what was dropped may have been enough for its other webhooks
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

/** Limits events that nobody makes deliveries of, as when no worker runs: pauses the webhooks of such an organization. */
export async function limitEvents(database: Database, waiting: Waiting): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined && !waiting.isClosing()) {
    const organizations: string[] = await organizationsWithEvents(database.read, after)
    for (const id of organizations) await limitEventsOf(database, id, waiting)
    after = organizations.at(-1)
  }
}

async function limitEventsOf(database: Database, organizationId: string, waiting: Waiting): Promise<void> {
  const { maxPending, now, origin, isClosing } = waiting
  const events = (db: Db) => db.selectFrom('webhookEvent').select('id').where('organizationId', '=', organizationId)
  const newestBut = (newer: number) =>
    events(database.read).orderBy('id', 'desc').offset(newer).limit(1).executeTakeFirst()
  if (!(await newestBut(maxPending))) return
  const left = Math.floor(maxPending / 2)
  const reason = `More than ${inWords(maxPending)} events were waiting, since no worker took them. The oldest were dropped, and the newest ${inWords(left)} are sent when it is enabled again.`
  await database.transaction(
    async (db) => {
      const webhooks = db.selectFrom('webhook').select('id').where('organizationId', '=', organizationId).orderBy('id')
      for (const { id } of await webhooks.execute()) await pauseWebhook(db, now, { id, reason, origin })
    },
    { organizationId },
  )
  const last = await newestBut(left)
  if (!last) return
  const rows = {
    find: (db: Db, after: string, limit: number) =>
      events(db).where('id', '>', after).where('id', '<=', last.id).orderBy('id').limit(limit).execute(),
    delete: (db: Db, ids: string[]) => db.deleteFrom('webhookEvent').where('id', 'in', ids),
  }
  await deleteInSteps(database, rows, { isClosing })
}

const inWords = (count: number) => count.toLocaleString('en')
