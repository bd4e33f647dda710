import type { Sql } from 'postgres'

interface LateWrite {
  key: string
  change: string
  written: string
  changed: string
}

/**
 * Devices that keys have created while they were paused, read-only or away from their networks, by the times of the
 * commits, which the database keeps: each audit event is part of the transaction that it tells of. A change waits for
 * writes under way, so its time is the later one. Of the changes before a write the last of each kind counts.
 */
export async function lateByChanges(sql: Sql): Promise<string[]> {
  const rows = await sql<LateWrite[]>`
    with "change" as (
      select substring("details" from 'key ([^; ]+)$') as "key", "details", pg_xact_commit_timestamp(xmin) as "at",
        case when "action" = 'api_key.updated' then 'update' else 'pause' end as "kind",
        case "action"
          when 'api_key.paused' then coalesce(substring("details" from 'until (\\d[^;]+);')::timestamptz, 'infinity')
          when 'api_key.updated' then
            case when split_part("details", ', was', 1) ~ '(READ_ONLY|10\\.0\\.0\\.0)' then 'infinity'::timestamptz end
        end as "until"
      from "auditEvent" where "action" in ('api_key.paused', 'api_key.resumed', 'api_key.updated')
    ), "write" as (
      select "actorId" as "key", pg_xact_commit_timestamp(xmin) as "at" from "auditEvent"
      where "action" = 'device.created' and "actorKind" = 'API_KEY'
    )
    select "write"."key", "last"."details" as "change", "write"."at"::text as "written", "last"."at"::text as "changed"
    from "write" cross join (values ('pause'), ('update')) as "kinds" ("kind") cross join lateral (
      select * from "change" where "change"."key" = "write"."key" and "change"."kind" = "kinds"."kind"
        and "change"."at" < "write"."at" order by "change"."at" desc limit 1
    ) as "last"
    where "last"."until" > "write"."at"`
  return rows.map(
    ({ key, change, written, changed }) => `a write committed ${written}, after ${change} at ${changed} (key ${key})`,
  )
}
