import { type RawBuilder, sql } from 'kysely'
import { apiKeyRow } from '../../../server/db/api-key-row.ts'
import type { Database } from '../../../server/db/database.ts'
import type { Db } from '../../../server/db/tables.ts'
import { DAY, MINUTE } from '../../../server/lib/clock.ts'
import { firstIdAt } from '../../../server/lib/id.ts'
import { hashSecret, mintSecret } from '../../../server/secrets/secret.ts'

export interface BigWorldSizes {
  devices: number
  /** Half of them members, the others invited. */
  people: number
  keys: number
  auditEvents: number
}

/** What one caller may have before others notice (C16). */
const BIGGEST: BigWorldSizes = { devices: 1_000_000, people: 10_000, keys: 100, auditEvents: 1_000_000 }

/** Every device has the first tag, one in two the second, one in four the third, one in eight the last. */
export const BIG_TAGS = ['gateway', 'lte', 'north', 'prod'] as const
const BIG_ACTIONS = ['device.created', 'device.updated', 'api_key.generated', 'user.signed_in'] as const
const EVENTS_AT_ONCE = 1000
const SMALL_FLEET = 1000

export interface BigWorld {
  /** The organization that has most of everything, and the secrets of its keys. */
  big: { organizationId: string; secrets: string[]; actorIds: string[] }
  /** A small one beside it, with one key: a bystander. */
  small: { organizationId: string; secret: string }
}

/** Fills a database that is open and migrated, by SQL that both databases know. It takes a minute or two at its biggest. */
export async function fillBigWorld(database: Database, sizes: BigWorldSizes = BIGGEST): Promise<BigWorld> {
  const now = database.now()
  const [big, small] = ['b', 'c'].map((kind) => kind + '0'.repeat(25)) as [string, string]
  const steps: ((db: Db) => Promise<unknown>)[] = [
    (db) => addOrganizations(db, now, [big, small]),
    (db) => addPeople(db, now, big, sizes.people),
    (db) => addDevices(db, now, big, 'd', sizes.devices),
    (db) => addDevices(db, now, small, 'e', SMALL_FLEET),
    ...BIG_TAGS.map((tag, place) => (db: Db) => addTag(db, big, tag, 2 ** place)),
  ]
  for (let done = 0; done < sizes.auditEvents; done += EVENTS_AT_ONCE) {
    steps.push((db) => addEvents(db, now - (sizes.auditEvents - done) * 10, big, done))
  }
  for (const step of steps) await database.transaction(step, { noTimeout: true, moreFollows: true })
  const secrets = Array.from({ length: sizes.keys + 1 }, () => mintSecret('emp_'))
  await database.transaction((db) => addKeys(db, now, [small, ...secrets.slice(1).map(() => big)], secrets))
  await database.transaction((db) => sql`analyze`.execute(db), { noTimeout: true })
  const [secret = '', ...others] = secrets
  return {
    big: { organizationId: big, secrets: others, actorIds: [0, 1, 2].map((i) => `s${String(i).padStart(25, '0')}`) },
    small: { organizationId: small, secret },
  }
}

/** The numbers from 0 on, as a table `n` with a column `i`. */
const numbers = (count: number) =>
  sql`with recursive "n" ("i") as (select 0 union all select "i" + 1 from "n" where "i" < ${sql.lit(count - 1)})`

/** A letter and the number, 26 characters as every id. */
const idOf = (letter: string, number: RawBuilder<unknown> = sql`"i"`) =>
  sql`${sql.lit(letter)} || substr(${sql.lit('0'.repeat(25))} || cast(${number} as text), length(cast(${number} as text)) + 1)`

async function addOrganizations(db: Db, now: number, ids: string[]): Promise<void> {
  const rows = ids.map((id) => ({ id, name: `Organization ${id[0]}`, slug: `organization-${id[0]}` }))
  await db
    .insertInto('organization')
    .values(
      rows.map((row) => ({
        ...row,
        kind: 'ORGANIZATION' as const,
        nameKey: row.name.toLowerCase(),
        apiKeysEnabled: 1 as const,
        apiKeyPolicy: null,
        createdAt: now,
      })),
    )
    .execute()
}

async function addPeople(db: Db, now: number, organizationId: string, count: number): Promise<void> {
  const half = Math.floor(count / 2)
  const lit = sql.lit
  await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
    ${numbers(half)} select ${idOf('p')}, 'PERSONAL', 'Person ' || "i", 'person ' || "i", 'person-' || "i", 0, ${lit(now)} from "n"`.execute(
    db,
  )
  await sql`insert into "user" ("id", "email", "name", "passwordHash", "support", "personalOrganizationId", "createdAt")
    ${numbers(half)} select ${idOf('s')}, 'person-' || "i" || '@example.com', 'Person ' || "i", 'none', 0, ${idOf('p')}, ${lit(now)} from "n"`.execute(
    db,
  )
  await sql`insert into "membership" ("organizationId", "userId", "role", "createdAt")
    select "personalOrganizationId", "id", 'ADMIN', ${lit(now)} from "user" where "id" < 't' and "id" >= 's'`.execute(
    db,
  )
  await sql`insert into "membership" ("organizationId", "userId", "role", "createdAt")
    ${numbers(half)} select ${lit(organizationId)}, ${idOf('s')}, 'MEMBER', ${lit(now - DAY)} + "i" from "n"`.execute(
    db,
  )
  await sql`insert into "invitation" ("id", "organizationId", "email", "name", "role", "tokenHash", "createdAt", "expiresAt")
    ${numbers(half)} select ${idOf('v')}, ${lit(organizationId)}, 'guest-' || "i" || '@example.com', '', 'MEMBER',
    ${hashOf(db)}, ${lit(now - DAY)} + "i", ${lit(now + DAY)} from "n"`.execute(db)
}

/** Any bytes that differ. */
const hashOf = (db: Db) =>
  db.getExecutor().adapter.constructor.name === 'PostgresAdapter'
    ? sql`cast('hash of a token ' || cast("i" as text) as bytea)`
    : sql`cast('hash of a token ' || "i" as blob)`

async function addDevices(db: Db, now: number, organizationId: string, letter: string, count: number): Promise<void> {
  const lit = sql.lit
  const name = sql`'edge-' || substr(${idOf('x')}, 20)`
  await sql`insert into "device" ("id", "organizationId", "name", "nameKey", "description", "enabled", "lastSeenAt", "firmwareVersion", "tags", "location", "createdAt", "updatedAt")
    ${numbers(count)} select ${idOf(letter)}, ${lit(organizationId)}, ${name}, ${name}, null, case when "i" % 20 = 0 then 0 else 1 end,
    case when "i" % 10 = 0 then null else ${lit(now)} - "i" % 100 * ${lit(MINUTE)} end, '4.2.1', '["gateway"]', null, ${lit(now)}, ${lit(now)} from "n"`.execute(
    db,
  )
}

async function addTag(db: Db, organizationId: string, tag: string, oneIn: number): Promise<void> {
  await sql`insert into "deviceTag" ("organizationId", "tag", "nameKey", "deviceId")
    select "organizationId", ${sql.lit(tag)}, "nameKey", "id" from "device"
    where "organizationId" = ${sql.lit(organizationId)} and cast(substr("name", 6) as bigint) % ${sql.lit(oneIn)} = 0`.execute(
    db,
  )
}

async function addEvents(db: Db, at: number, organizationId: string, from: number): Promise<void> {
  const lit = sql.lit
  const action = BIG_ACTIONS.map((each, place) => sql`when ${lit(place)} then ${lit(each)}`)
  await sql`insert into "auditEvent" ("id", "organizationId", "at", "action", "actorKind", "actorId", "actorName", "subject", "details")
    ${numbers(EVENTS_AT_ONCE)} select ${lit(firstIdAt(at))} || substr(${idOf('0', sql`("i" + ${lit(from)})`)}, 11), ${lit(organizationId)}, ${lit(at)},
    case "i" % 4 ${sql.join(action, sql` `)} end, 'USER', ${idOf('s', sql`("i" % 3)`)}, 'Person', 'edge', null from "n"`.execute(
    db,
  )
}

async function addKeys(db: Db, now: number, organizationIds: string[], secrets: string[]): Promise<void> {
  const rows = secrets.map((secret, place) =>
    apiKeyRow({
      id: `k${String(place).padStart(25, '0')}`,
      organizationId: organizationIds[place] ?? '',
      label: `script ${place}`,
      prefix: secret.slice(0, 10),
      secretHash: hashSecret(secret),
      createdAt: now,
      createdByKind: 'SYSTEM',
      createdById: null,
      createdByName: 'test',
      lastUsedAt: now,
      lastUsedIp: '127.0.0.1',
    }),
  )
  for (const row of rows) await db.insertInto('apiKey').values(row).execute()
}
