import type { Ctx } from '../../caller/ctx.ts'
import type { AuditEventTable } from '../../db/audit-event-table.ts'
import type { Db } from '../../db/tables.ts'
import { MINUTE } from '../../lib/clock.ts'
import { firstIdAt, timeOfId } from '../../lib/id.ts'

const EVENTS_AT_ONCE = 1000
const MAX_EVENTS = 200_000
/** So that nobody makes the question unanswerable by generating keys on and on. */
export const MAX_KEYS = 10_000
/** Clocks of replicas differ: what a key does may seem older than the key. */
export const MARGIN_MS = MINUTE

const NEW_KEY = /^key ([0-9a-z]{26})(?: replaces key ([0-9a-z]{26}))?/
const MAKING = ['api_key.generated', 'api_key.rotated'] as const

export interface KeyWithDescendants {
  ids: string[]
  isComplete: boolean
}

interface Origin {
  keyId: string
  madeBy: string | null
  replaces: string | null
}

type Making = Pick<AuditEventTable, 'id' | 'action' | 'actorKind' | 'actorId' | 'subjectId' | 'details'>

/** A key and its descendants, gone or not: by the audit log, which is stored longer than keys, and lineage. Undefined: there was no such key. */
export async function keyWithDescendants(ctx: Ctx, db: Db, id: string): Promise<KeyWithDescendants | undefined> {
  const { origins, isComplete } = await originsSince(ctx, db, timeOfId(id) - MARGIN_MS)
  const isKnown = origins.some(({ keyId }) => keyId === id) || (await isKeyOfOrganization(ctx, db, id))
  if (!isKnown) return undefined
  const existing = await db.selectFrom('apiKeyLineage').select('keyId').where('ancestorId', '=', id).execute()
  const makes = Map.groupBy(origins, ({ madeBy }) => madeBy)
  const isReplacedBy = Map.groupBy(origins, ({ replaces }) => replaces)
  const found = new Set([id, ...existing.map(({ keyId }) => keyId)])
  for (const each of found) {
    if (found.size > MAX_KEYS) break
    for (const { keyId } of makes.get(each) ?? []) found.add(keyId)
    // A key that replaces a descendant is one, too; one by which a person has replaced the key itself is not.
    if (each !== id) for (const { keyId } of isReplacedBy.get(each) ?? []) found.add(keyId)
  }
  return { ids: [...found].slice(0, MAX_KEYS), isComplete: isComplete && found.size <= MAX_KEYS }
}

/** The origin of every key that the organization got since then, and of which the audit log still knows. */
async function originsSince(
  { caller }: Ctx,
  db: Db,
  since: number,
): Promise<{ origins: Origin[]; isComplete: boolean }> {
  const origins: Origin[] = []
  for (const action of MAKING) {
    for (let after = firstIdAt(since), more = true; more; ) {
      if (origins.length >= MAX_EVENTS) return { origins, isComplete: false }
      const events = await keysMadeAfter(db, { organizationId: caller.organizationId, action, after }).execute()
      origins.push(...events.map(originIn).filter((origin) => origin !== undefined))
      after = events.at(-1)?.id ?? after
      more = events.length === EVENTS_AT_ONCE
    }
  }
  return { origins, isComplete: true }
}

/** By the index on organization, action and id. */
export const keysMadeAfter = (
  db: Db,
  { organizationId, action, after }: { organizationId: string; action: (typeof MAKING)[number]; after: string },
) =>
  db
    .selectFrom('auditEvent')
    .select(['id', 'action', 'actorKind', 'actorId', 'subjectId', 'details'])
    .where('organizationId', '=', organizationId)
    .where('action', '=', action)
    .where('id', '>', after)
    .orderBy('id')
    .limit(EVENTS_AT_ONCE)

/** From the details, which have had the ids since before there was a column for them. */
function originIn({ action, actorKind, actorId, subjectId, details }: Making): Origin | undefined {
  const [, named, replaces = null] = NEW_KEY.exec(details ?? '') ?? []
  const keyId = action === 'api_key.generated' ? (subjectId ?? named) : named
  if (keyId === undefined) return undefined
  return { keyId, madeBy: actorKind === 'API_KEY' ? actorId : null, replaces }
}

async function isKeyOfOrganization({ caller: { organizationId } }: Ctx, db: Db, id: string): Promise<boolean> {
  const key = db.selectFrom('apiKey').select('id').where('organizationId', '=', organizationId).where('id', '=', id)
  const events = db.selectFrom('auditEvent').select('id').where('organizationId', '=', organizationId).limit(1)
  const found = await Promise.all([
    key.executeTakeFirst(),
    events.where('subjectId', '=', id).where('subjectType', '=', 'API_KEY').executeTakeFirst(),
    events.where('actorId', '=', id).where('actorKind', '=', 'API_KEY').executeTakeFirst(),
  ])
  return found.some((row) => row !== undefined)
}
