import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Ctx } from '../caller/ctx.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { openSqlite } from '../db/sqlite/database.ts'
import type { Db } from '../db/tables.ts'
import { deleteRowsOfDeletedKeys, ROWS_AT_ONCE } from './deletion.ts'
import { revokeApiKey } from './revoke.ts'
import { revokeApiKeys } from './revoke-many.ts'

/*
 * On SQLite a revoke holds the write connection, and each statement the event loop: by how many rows they change, which
 * is the same on any machine.
 */

const KEYS = 1000
const TABLES = ['apiKeyLineage', 'apiKeyUsage', 'apiKeyUsageDay', 'deletedApiKey'] as const

let folder: string
let database: Database

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portal-'))
  database = openSqlite(folder)
  await migrate(database)
})
afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const operator = (on: Database): Ctx => ({
  caller: { kind: 'SYSTEM', organizationId: 'o', role: 'ADMIN' },
  reads: on.read,
  database: on,
  now: on.now,
})

const upTo = (most: number) =>
  sql.raw(`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${most}) select i from n)`)

/** A thousand keys below the first one, each with so many rows in every table. */
const seed = (rows: number) =>
  database.transaction(async (db) => {
    await db.deleteFrom('revokedApiKey').execute() // its ids are used again
    await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
      values ('o', 'ORGANIZATION', 'Acme', 'acme', 'acme', 1, 0) on conflict do nothing`.execute(db)
    await sql`insert into "apiKey" ("id", "organizationId", "label", "prefix", "secretHash", "createdAt", "createdByKind", "createdByName")
      select 'k' || i, 'o', 'ci', 'emp_', cast('h' || i as blob), 0, 'SYSTEM', 'x' from ${upTo(KEYS)}`.execute(db)
    await sql`insert into "apiKeyLineage" select 'k1', "id" from "apiKey" where "id" <> 'k1'
      union all select 'gone' || i, "id" from "apiKey", ${upTo(rows)}`.execute(db)
    await sql`insert into "apiKeyUsage" select "id", i, 'w', 1, 0, hex(randomblob(1000)) from "apiKey", ${upTo(rows)}`.execute(
      db,
    )
    await sql`insert into "apiKeyUsageDay" select "id", i, 1, 0, null from "apiKey", ${upTo(rows)}`.execute(db)
  })

const changes = async (db: Db) => {
  const { rows } = await sql<{ changes: number }>`select total_changes() as "changes"`.execute(db)
  return rows[0]?.changes ?? 0
}

/** The database, with how many rows each transaction changed. */
function counted(): { database: Database; rows: number[] } {
  const rows: number[] = []
  const transaction: Database['transaction'] = (work, options) =>
    database.transaction(async (db) => {
      const before = await changes(db)
      const result = await work(db)
      rows.push((await changes(db)) - before)
      return result
    }, options)
  return { database: { ...database, transaction }, rows }
}

async function rowsChangedBy(work: (database: Database) => Promise<unknown>): Promise<number[]> {
  const watched = counted()
  await work(watched.database)
  return watched.rows
}

it.each([
  ['with its descendants', (on: Database) => revokeApiKey(operator(on), 'k1', { includeDescendants: true })],
  ['all', (on: Database) => revokeApiKeys(operator(on), { all: true })],
])('a revoke of a thousand keys changes as many rows with much usage as without: %s', async (_how, revoke) => {
  await seed(0)
  const unused = await rowsChangedBy(revoke)
  await deleteRowsOfDeletedKeys(database)
  await seed(10)
  expect(await rowsChangedBy(revoke)).toEqual(unused)

  const later = await rowsChangedBy(deleteRowsOfDeletedKeys)
  expect(Math.max(...later)).toBeLessThanOrEqual(TABLES.length * ROWS_AT_ONCE)
  expect(later.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(30 * KEYS)
  for (const table of TABLES) expect(await database.read.selectFrom(table).selectAll().execute()).toEqual([])
})

it('of all tables only invitations go in the same transaction as their key: they give access', async () => {
  const { rows } = await sql<{
    name: string
  }>`select distinct m."name" from sqlite_master m, pragma_foreign_key_list(m."name") f
    where m."type" = 'table' and f."table" = 'apiKey'`.execute(database.read)
  expect(rows).toEqual([{ name: 'invitation' }])
})
