import type { Sql } from 'postgres'
import { firstIdAt } from '../../../server/lib/id.ts'

/** The organization that has most of everything, and one that has much, but of long ago. */
export const BIG = 'o-0001'
export const QUIET = 'o-0002'
const ID_ALPHABET = Array.from({ length: 32 }, (_, digit) => firstIdAt(digit).at(-1)).join('')
/** When it is looked at. */
export const FLEET_NOW = Date.UTC(2026, 10, 15)

/**
 * As a portal has it that has been in use for long: in the big organization a device in 20 is online, in 10 was never
 * seen and in 20 is disabled; all have the tag `gateway`, one in 10 has `lte`.
 */
export async function fillBigFleet(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create function pg_temp.big_or_any(i int) returns text language sql as
      $$ select 'o-' || lpad((case when i % 3 = 0 then 3 + i % 990 else 1 end)::text, 4, '0') $$;

    create function pg_temp.id_at(ms int) returns text language sql as $$
      select '0000000' || string_agg(substr('${ID_ALPHABET}', 1 + ms / power(32, place)::int % 32, 1), '' order by place desc)
      from generate_series(0, 2) place $$;

    insert into "organization"
    select 'o-' || lpad(i::text, 4, '0'), 'ORGANIZATION', 'Organization ' || i, 'organization ' || i, 'organization-' || i, 1, i
    from generate_series(1, 1000) i;

    insert into "user"
    select 'u-' || i, i || '@example.com', 'User ' || i, 'none', 0, 'o-' || lpad(i::text, 4, '0'), i
    from generate_series(1, 1000) i;

    insert into "membership" select "personalOrganizationId", "id", 'ADMIN', 0 from "user";
    insert into "membership" select '${BIG}', 'u-' || i, 'MEMBER', 0 from generate_series(2, 300) i;

    insert into "session"
    select 's-' || i, 'u-' || 1 + i % 1000, sha256(('s' || i)::bytea), '127.0.0.1', 'Browser', i, i, ${FLEET_NOW}
    from generate_series(1, 3000) i;

    insert into "apiKey"
    select 'k-' || lpad(i::text, 5, '0'), 'o-' || lpad((1 + i % 100)::text, 4, '0'), 'script ' || i, 'emp_000000',
      sha256(('k' || i)::bytea), i, 'SYSTEM', null, 'test', i, '127.0.0.1', null
    from generate_series(1, 10000) i;

    insert into "apiKeyLineage" -- all keys of an organization descend from its first one, by others that are gone
    select above, "id" from (select "id", min("id") over (partition by "organizationId") as first from "apiKey") each,
      lateral (values (first), ('gone 1'), ('gone 2')) line (above) where "id" > first;

    insert into "apiKeyUsage" select "id", hour * 3600000, 'writer', 1, 0, '{}' from "apiKey", generate_series(1, 3) hour;
    insert into "apiKeyUsageDay" select "id", day * 86400000, 1, 0, null from "apiKey", generate_series(1, 3) day;

    insert into "device"
    select 'd-' || i, pg_temp.big_or_any(i), name, name, null, (i % 20 > 0)::int,
      case when i % 10 = 0 then null else ${FLEET_NOW} - i % 100 * 60000 end, '4.2.1', '[]', null, i, i
    from generate_series(1, 15000) i, format('edge-%s', lpad(i::text, 5, '0')) name;

    insert into "device"
    select 'q-' || i, '${QUIET}', name, name, null, 1, i, '4.2.1', '[]', null, i, i
    from generate_series(1, 5000) i, format('edge-%s', lpad(i::text, 5, '0')) name;

    insert into "deviceTag"
    select "organizationId", 'gateway', "nameKey", "id" from "device"
    union all select "organizationId", 'lte', "nameKey", "id" from "device" where "createdAt" % 10 = 0;

    insert into "auditEvent"
    select pg_temp.id_at(i), pg_temp.big_or_any(i), i,
      (array['device.created', 'device.updated', 'api_key.generated', 'user.signed_in'])[1 + i % 4],
      'USER', 'u-' || i % 100, 'User', 'edge', null
    from generate_series(1, 15000) i;

    insert into "auditEvent"
    select pg_temp.id_at(0) || i, '${QUIET}', 0, 'device.created', 'USER', 'u-2', 'User', 'edge', null
    from generate_series(1, 3000) i
  `)
  await sql`analyze`
}
