import type { Db } from '../db/tables.ts'
import { firstIdAt } from '../lib/id.ts'
import { actionName } from './actions.ts'
import { type FieldChange, readChanges } from './changed-fields.ts'

const ROWS_AT_ONCE = 1000

export interface ExportedEvent {
  id: string
  at: string
  organization: string
  action: string
  actor: { kind: string; id: string | null; name: string }
  subject: string | null
  subjectType: string | null
  subjectId: string | null
  details: string | null
  changes: FieldChange[] | null
  ip: string | null
}

interface Selection {
  before: number
  organizationId?: string | undefined
}

/** The events, the oldest first, in parts: however many there are, only one part is in memory. */
export async function* exportEvents(db: Db, selection: Selection): AsyncGenerator<ExportedEvent[]> {
  for (let after = ''; ; ) {
    const rows = await eventsAfter(db, after, selection).execute()
    if (rows.length > 0) yield rows.map(exported)
    after = rows.at(-1)?.id ?? after
    if (rows.length < ROWS_AT_ONCE) return
  }
}

/** By the index on the id, or on organization and id. */
export function eventsAfter(db: Db, after: string, { before, organizationId }: Selection) {
  const events = db
    .selectFrom('auditEvent as event')
    .innerJoin('organization', 'organization.id', 'event.organizationId')
    .selectAll('event')
    .select('organization.slug')
    .where('event.id', '>', after)
    .where('event.id', '<', firstIdAt(before)) // an id begins with the time of its event
    .orderBy('event.id')
    .limit(ROWS_AT_ONCE)
  return organizationId === undefined ? events : events.where('event.organizationId', '=', organizationId)
}

type Row = Awaited<ReturnType<ReturnType<typeof eventsAfter>['execute']>>[number]

/** An event as a line of JSON; an action of a newer version has its name too. */
const exported = ({ slug: organization, ...event }: Row): ExportedEvent => ({
  id: event.id,
  at: new Date(event.at).toISOString(),
  organization,
  action: actionName(event.action),
  actor: { kind: event.actorKind, id: event.actorId, name: event.actorName },
  subject: event.subject,
  subjectType: event.subjectType,
  subjectId: event.subjectId,
  details: event.details,
  changes: readChanges(event.changes),
  ip: event.ip,
})
