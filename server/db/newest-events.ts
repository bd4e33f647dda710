import { type RawBuilder, sql } from 'kysely'
import { isPostgres } from './locks.ts'
import type { Db } from './tables.ts'

interface Wanted {
  organizationId: string
  actorIds: readonly string[]
  /** Without these actions, at least one. */
  except: readonly string[]
  /** From this id on, and before that one. */
  from: string
  before: string
  most: number
}

/** Reads no more events of each actor than can be needed, by an index: an order by over all actors would read every event. */
export function newestEventsOf(db: Db, wanted: Wanted) {
  const { actorIds, most } = wanted
  const actors = JSON.stringify(actorIds)
  return isPostgres(db)
    ? sql<{ id: string }>`
      select "event"."id" from jsonb_array_elements_text(${actors}::text::jsonb) as "actor" ("value")
      cross join lateral (${newestOfOne(sql`"auditEvent"`, wanted)}) as "event"
      order by "event"."id" desc limit ${most}`
    : sql<{ id: string }>`
      select "event"."id" from json_each(${actors}) as "actor"
      cross join "auditEvent" as "event" on "event"."id" in (${newestOfOne(BY_ACTOR, wanted)})
      order by "event"."id" desc limit ${most}`
}

/** SQLite takes another index by itself, and so reads the events of all actors for each. */
const BY_ACTOR = sql`"auditEvent" indexed by "auditEventByActor"`

const newestOfOne = (table: RawBuilder<unknown>, { organizationId, except, from, before, most }: Wanted) => sql`
  select "id" from ${table}
  where "organizationId" = ${organizationId} and "actorId" = "actor"."value"
    and "id" >= ${from} and "id" < ${before} and "action" not in (${sql.join(except)})
  order by "id" desc limit ${most}`
