import type { Sql } from 'postgres'

interface LateWrite {
  key: string
  action: string
  written: string
  revoked: string
}

/**
 * What keys have written after they were revoked, by the times of the commits, which the database keeps: each audit event
 * is part of the transaction that it tells of. A revoke waits for writes under way, so its time is the later one.
 */
export async function lateWrites(sql: Sql): Promise<string[]> {
  const rows = await sql<LateWrite[]>`
    select "write"."actorId" as "key", "write"."action",
      pg_xact_commit_timestamp("write".xmin)::text as "written", pg_xact_commit_timestamp("revoke".xmin)::text as "revoked"
    from "auditEvent" as "revoke" join "auditEvent" as "write" on "write"."actorId" = substr("revoke"."details", 5)
    where "revoke"."action" = 'api_key.revoked' and "write"."actorKind" = 'API_KEY'
      and pg_xact_commit_timestamp("write".xmin) >= pg_xact_commit_timestamp("revoke".xmin)`
  return rows.map(
    ({ key, action, written, revoked }) => `${action} committed ${written}, revoked ${revoked} (key ${key})`,
  )
}

/** How many writes by keys the database has kept, and how many revokes. */
export async function keptWrites(sql: Sql): Promise<{ writes: number; revokes: number }> {
  const [row] = await sql<{ writes: number; revokes: number }[]>`
    select (count(*) filter (where "action" = 'device.created'))::int as "writes",
      (count(*) filter (where "action" = 'api_key.revoked'))::int as "revokes" from "auditEvent"`
  return row ?? { writes: 0, revokes: 0 }
}

/** How many connections the database itself has ended: here, writers that were paused in their transaction for too long. */
export async function writersCutOff(sql: Sql): Promise<number> {
  const [row] = await sql`select "sessions_fatal"::int from pg_stat_database where "datname" = current_database()`
  return row?.['sessions_fatal'] ?? 0
}
