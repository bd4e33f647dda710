import { setImmediate as breathe } from 'node:timers/promises'
import { insertEvent } from '../audit/audit-event.ts'
import type { Database } from '../db/database.ts'
import { keep, tryAlone } from '../db/locks.ts'
import type { ApiKeyTable, Db } from '../db/tables.ts'
import { DAY } from '../lib/clock.ts'
import { queueMail } from '../mail/mail.ts'
import { FIRST_WARNING_DAYS, PORTAL } from './ends.ts'
import { lettersOfEnds } from './ends-letter.ts'

/** So many days before its end a key is warned of, until the next warning takes over. */
const WARNINGS = [
  { days: 1, until: 0 },
  { days: 7, until: 1 },
  { days: FIRST_WARNING_DAYS, until: 7 },
] as const
const LOOKED_AT_ONCE = 500
const ENOUGH_AT_ONCE = 25
const BEHIND_ALL_IDS = '~'

type Warning = (typeof WARNINGS)[number]
type Place = Pick<ApiKeyTable, 'id'> & { expiresAt: number }
type Ending = Place & Pick<ApiKeyTable, 'organizationId' | 'label' | 'start' | 'createdAt'>

/**
 * Warns the Admins of every key that comes near its end, once for each of the three times before it. Any number of processes
 * may do this at once, and each may be killed at any moment: warning, audit entry and letters are one transaction.
 */
export async function announceEnds(database: Database, now: number, origin: string): Promise<void> {
  for (const warning of WARNINGS) {
    let from: Place | undefined = { expiresAt: now + warning.until * DAY, id: BEHIND_ALL_IDS }
    do {
      const keys: Awaited<ReturnType<typeof keysNearEnd>> = await keysNearEnd(database.read, now, warning, from)
      const due = keys.filter((key) => !key.isAnnounced && isStillAhead(key, warning.days))
      for (const batch of batchesOf(due)) {
        const isOurs = await announce(database, now, warning, batch, origin)
        if (!isOurs) return
        await breathe()
      }
      from = keys.length === LOOKED_AT_ONCE ? keys.at(-1) : undefined
      await breathe() // SQLite answers without letting anybody else have a turn
    } while (from)
  }
}

/** Whole organizations, so that their Admins get one letter for all of their keys, and no more of them than it takes. */
function batchesOf<Key extends Ending>(keys: readonly Key[]): Key[][] {
  const batches: Key[][] = []
  for (const group of Map.groupBy(keys, ({ organizationId }) => organizationId).values()) {
    const last = batches.at(-1)
    if (last && last.length < ENOUGH_AT_ONCE) last.push(...group)
    else batches.push(group)
  }
  return batches
}

/** What had passed when the key was made is nothing to warn of: whoever made it knew. */
const isStillAhead = ({ createdAt, expiresAt }: Ending, days: number) => createdAt < expiresAt - days * DAY

/** A bounded number of the keys that this warning is about, announced or not, in the order of their ends. */
async function keysNearEnd(db: Db, now: number, { days }: Warning, from: Place) {
  const rows = await db
    .selectFrom('apiKey')
    .leftJoin('apiKeyWarning', (join) =>
      join
        .onRef('apiKeyWarning.keyId', '=', 'apiKey.id')
        .onRef('apiKeyWarning.expiresAt', '=', 'apiKey.expiresAt')
        .on('apiKeyWarning.days', '=', days),
    )
    .select(['apiKey.id', 'organizationId', 'label', 'start', 'createdAt', 'apiKeyWarning.at'])
    .select((eb) => eb.ref('apiKey.expiresAt').$notNull().as('expiresAt'))
    .where((eb) => eb(eb.refTuple('apiKey.expiresAt', 'apiKey.id'), '>', eb.tuple(from.expiresAt, from.id)))
    .where('apiKey.expiresAt', '<=', now + days * DAY)
    .where('replacedById', 'is', null)
    .orderBy('apiKey.expiresAt')
    .orderBy('apiKey.id')
    .limit(LOOKED_AT_ONCE)
    .execute()
  return rows.map(({ at, ...key }) => ({ ...key, isAnnounced: at !== null }))
}

/** Says whether it was ours to do: else another process is about it. */
function announce(
  database: Database,
  now: number,
  warning: Warning,
  found: readonly Ending[],
  origin: string,
): Promise<boolean> {
  return database.transaction(async (db) => {
    if (!(await tryAlone(db))) return false
    const unwarned = await noteWarnings(db, now, warning, await stillEnding(db, found))
    for (const key of unwarned) {
      await insertEvent(db, now, {
        action: 'api_key.end_announced',
        subject: key.label,
        details: `ends at ${new Date(key.expiresAt).toISOString()}; key ${key.id}`,
        actor: PORTAL,
        organizationId: key.organizationId,
      })
    }
    const usefulUntil = (key: Ending) => key.expiresAt - warning.until * DAY
    await queueMail(db, now, await lettersOfEnds(db, unwarned, { origin, usefulUntil }))
    return true
  })
}

/** Those that nobody has revoked, rotated or given another end in the meantime; until the end of this, nobody revokes them. */
async function stillEnding(db: Db, found: readonly Ending[]): Promise<Ending[]> {
  const ends = new Map(found.map(({ id, expiresAt }) => [id, expiresAt]))
  const query = db
    .selectFrom('apiKey')
    .select(['id', 'organizationId', 'label', 'start', 'createdAt', 'expiresAt'])
    .where('id', 'in', [...ends.keys()])
    .where('replacedById', 'is', null)
    .orderBy('id') // the order in which everybody locks them
  const rows = await keep(db, query).execute()
  return rows.flatMap(({ expiresAt, ...key }) =>
    expiresAt !== null && expiresAt === ends.get(key.id) ? { ...key, expiresAt } : [],
  )
}

/** Notes this warning and those that were due before it; gives the keys that nobody has noted it for. */
async function noteWarnings(db: Db, at: number, { days }: Warning, keys: readonly Ending[]): Promise<Ending[]> {
  const rows = keys.flatMap((key) =>
    WARNINGS.filter((warning) => warning.days >= days && isStillAhead(key, warning.days)).map((warning) => ({
      keyId: key.id,
      expiresAt: key.expiresAt,
      days: warning.days,
      at,
    })),
  )
  if (rows.length === 0) return []
  const noted = await db
    .insertInto('apiKeyWarning')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['keyId', 'expiresAt', 'days']).doNothing())
    .returning(['keyId', 'days'])
    .execute()
  const ours = new Set(noted.filter((row) => row.days === days).map(({ keyId }) => keyId))
  return keys.filter(({ id }) => ours.has(id))
}
