import { type Actor, actorOf, type Ctx, requireAdmin } from '../ctx.ts'
import { deferToCommit } from '../db/locks.ts'
import { countMatching, readerFor } from '../db/long-list.ts'
import type { AuditEventTable, Db } from '../db/tables.ts'
import { firstIdAt, newId } from '../lib/id.ts'
import { decodeCursor, encodeCursor, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import { cleaned } from '../lib/plain-text.ts'

/** Every action, as stored in the log. */
export type AuditAction =
  | 'api_key.generated'
  | 'api_key.paused'
  | 'api_key.refused'
  | 'api_key.renamed'
  | 'api_key.resumed'
  | 'api_key.revoked'
  | 'api_key.rotated'
  | 'api_key.removed'
  | 'api_key.updated'
  | 'api_key.expiry_notified'
  | 'api_key.leaked'
  | 'api_keys.revoked'
  | 'api_keys.policy_changed'
  | 'api_keys.switched_on'
  | 'api_keys.switched_off'
  | 'api_keys.released'
  | 'canary_key.generated'
  | 'canary_key.deleted'
  | 'canary_key.used'
  | 'canary_key.leaked'
  | 'database.restored'
  | 'device.created'
  | 'device.updated'
  | 'device.deleted'
  | 'organization.created'
  | 'organization.updated'
  | 'user.invited'
  | 'user.joined'
  | 'user.role_changed'
  | 'user.removed'
  | 'user.left'
  | 'user.refused'
  | 'user.signed_in'
  | 'user.sign_in_failed'
  | 'user.password_changed'
  | 'user.password_reset'
  | 'user.reset_link_created'
  | 'user.email_verified'
  | 'support.granted'
  | 'support.revoked'

interface NewEvent {
  action: AuditAction
  /** The name of the affected object. */
  subject: string
  /** Further details in plain words; never a secret. */
  details?: string
  /** Given when the actor is not the caller, or the organization is another one. */
  actor?: Actor
  organizationId?: string
}

export interface AuditEventFilter {
  action?: string | null | undefined
  actorId?: string | null | undefined
  since?: number | null | undefined
  until?: number | null | undefined
}

/** Records an event in the caller's transaction. */
export async function recordEvent(ctx: Ctx, event: NewEvent): Promise<void> {
  await insertEvent(ctx.db, ctx.now(), {
    ...event,
    actor: event.actor ?? actorOf(ctx.caller),
    organizationId: event.organizationId ?? ctx.caller.organizationId,
  })
}

/** Records an event where there is no caller yet: signing up, signing in, accepting an invitation. */
export async function insertEvent(
  db: Db,
  at: number,
  { action, subject, details, actor, organizationId }: NewEvent & { actor: Actor; organizationId: string },
): Promise<void> {
  const insert = db.insertInto('auditEvent').values({
    id: newId(at),
    organizationId,
    at,
    action,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    subject: cleaned(subject),
    details: details === undefined ? null : cleaned(details),
  })
  await deferToCommit(db, insert)
}

/** The events of the organization, the newest first. */
export async function listAuditEvents(
  ctx: Ctx,
  args: PageArgs & { filter?: AuditEventFilter | null | undefined },
): Promise<Page<AuditEventTable>> {
  requireAdmin(ctx.caller)
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string'])
  const filter = args.filter ?? {}
  const isByIndex = filter.action == null || filter.actorId == null
  const db = isByIndex ? ctx.db : await readerFor(ctx, (db) => eventsOf(db, ctx))
  const all = matching(eventsOf(db, ctx), filter)
  const rows = await (cursor ? all.where('id', '<', cursor[0]) : all)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute()
  return pageOf(
    rows,
    size,
    (row) => encodeCursor([row.id]),
    () =>
      countMatching(
        ctx,
        (db) => eventsOf(db, ctx),
        (db) => matching(eventsOf(db, ctx), filter),
      ),
  )
}

const eventsOf = (db: Db, { caller }: Ctx) =>
  db.selectFrom('auditEvent').where('organizationId', '=', caller.organizationId)

type Events = ReturnType<typeof eventsOf>

function matching(events: Events, { action, actorId, since, until }: AuditEventFilter): Events {
  let found = events
  if (action != null) found = found.where('action', '=', action)
  if (actorId != null) found = found.where('actorId', '=', actorId)
  // An event's id begins with its time, and the indexes are in the order of ids.
  if (since != null) found = found.where('at', '>=', since).where('id', '>=', firstIdAt(since))
  if (until != null) found = found.where('at', '<', until).where('id', '<', firstIdAt(until))
  return found
}
