import type { Sql } from 'postgres'

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
