import type { Sql } from 'postgres'
import { MIGRATIONS } from '../../server/db/migrate.ts'

/** Fills a database of version 2 so that each later migration has all rows to change. */
export async function fillOldDatabase(sql: Sql, rows: number): Promise<void> {
  const organizations = 1000
  await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
    select 'organization ' || i, 'ORGANIZATION', 'x', 'x', 'slug-' || i, 1, 0 from generate_series(1, ${organizations}) i`
  await sql`insert into "apiKey" ("id", "organizationId", "label", "start", "secretHash", "createdAt", "createdByKind", "createdByName", "expiresAt")
    select 'key ' || i, 'organization ' || 1 + i % ${organizations}, 'Key of 2026-11-15 12:00', 'emp_000000', convert_to('hash ' || i, 'UTF8'), 0, 'SYSTEM', 'x', 4102444800000 + i
    from generate_series(0, ${rows - 1}) i`
  await sql`insert into "apiKeyLineage" select 'key ' || i, 'key ' || i + 1 from generate_series(0, ${Math.floor(rows / 2)}) i`
  await sql`insert into "device" ("id", "organizationId", "name", "nameKey", "enabled", "tags", "createdAt", "updatedAt")
    select 'device ' || i, 'organization ' || 1 + i % ${organizations}, 'd' || i, 'd' || i, 1, '[]', 0, 0 from generate_series(0, ${Math.floor(rows / 2)}) i`
  await sql`insert into "auditEvent" ("id", "organizationId", "at", "action", "actorKind", "actorName")
    select 'event ' || i, 'organization ' || 1 + i % ${organizations}, 0, 'api_key.end_announced', 'SYSTEM', 'x' from generate_series(0, ${rows - 1}) i`
  await sql`analyze`
}

/** Whether all of these rows are as the latest version has them, and every index is complete. */
export async function isUpgraded(sql: Sql, rows: number): Promise<boolean> {
  const [found] = await sql<{ keys: string; events: string; version: string; invalid: string }[]>`select
    (select count(*) from "apiKey" where "labelled" = 0 and "rulesVersion" = 1) as keys,
    (select count(*) from "auditEvent" where "action" = 'api_key.expiry_notified') as events,
    (select max("version") from "migration") as version,
    (select count(*) from pg_index where not indisvalid) as invalid`
  return JSON.stringify(Object.values(found ?? {}).map(Number)) === JSON.stringify([rows, rows, MIGRATIONS.length, 0])
}
