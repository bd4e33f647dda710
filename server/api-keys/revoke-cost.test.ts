import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Ctx } from '../ctx.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { openSqlite } from '../db/sqlite/database.ts'
import { deleteRowsOfDeletedKeys } from './deletion.ts'
import { revokeApiKey } from './revoke.ts'
import { revokeApiKeys } from './revoke-many.ts'

/*
 * On SQLite a revoke has the write connection, and each statement the event loop: how long, by the CPU time of this
 * thread, since the machine may be busy with something else.
 */

const KEYS = 1000
const MOST_HELD_MS = 100

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

const operator = (): Ctx => ({
  caller: { kind: 'SYSTEM', organizationId: 'o', role: 'ADMIN' },
  db: database.read,
  database,
  now: database.now,
})

const upTo = (most: number) =>
  sql.raw(`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${most}) select i from n)`)

/** A thousand keys below the first one, each with so many rows in every table. */
const seed = (rows: number) =>
  database.transaction(async (db) => {
    await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
      values ('o', 'ORGANIZATION', 'Acme', 'acme', 'acme', 1, 0) on conflict do nothing`.execute(db)
    await sql`insert into "apiKey" ("id", "organizationId", "label", "prefix", "secretHash", "createdAt", "createdByKind", "createdByName")
      select 'k' || i, 'o', 'ci', 'emp_', cast('h' || i as blob), 0, 'SYSTEM', 'x' from ${upTo(KEYS)}`.execute(db)
    await sql`insert into "apiKeyLineage" select 'k1', "id" from "apiKey" where "id" <> 'k1'
      union all select 'gone' || i, "id" from "apiKey", ${upTo(rows)}`.execute(db)
    await sql`insert into "apiKeyUsage" select "id", i, 'w', 1, 0, hex(randomblob(1000)) from "apiKey", ${upTo(rows)}`.execute(
      db,
    )
    await sql`insert into "apiKeyUsageDay" select "id", i, 1, 0 from "apiKey", ${upTo(rows)}`.execute(db)
  })

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The CPU time of the work, and the most of it in one turn of the event loop. */
async function costOf(work: () => Promise<unknown>): Promise<{ totalMs: number; heldMs: number }> {
  const begin = cpuMs()
  let [heldMs, last, isDone] = [0, begin, false]
  const turn = () => {
    const now = cpuMs()
    heldMs = Math.max(heldMs, now - last)
    last = now
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isDone = true
  return { totalMs: cpuMs() - begin, heldMs }
}

it.each([
  ['with its descendants', () => revokeApiKey(operator(), 'k1', { includeDescendants: true })],
  ['all', () => revokeApiKeys(operator(), { all: true })],
])('a thousand keys are revoked as quickly with much usage as without: %s', async (_how, revoke) => {
  await seed(0)
  await revoke() // with code that has been compiled
  await deleteRowsOfDeletedKeys(database)
  await seed(0)
  const unused = await costOf(revoke)
  await deleteRowsOfDeletedKeys(database)

  await seed(30)
  const used = await costOf(revoke)
  expect(used.heldMs).toBeLessThan(MOST_HELD_MS)
  expect(used.totalMs).toBeLessThan(unused.totalMs + MOST_HELD_MS)
  const later = await costOf(() => deleteRowsOfDeletedKeys(database))
  expect(later.heldMs).toBeLessThan(MOST_HELD_MS)
  for (const table of ['apiKeyLineage', 'apiKeyUsage', 'apiKeyUsageDay', 'deletedApiKey'] as const) {
    expect(await database.read.selectFrom(table).selectAll().execute()).toEqual([])
  }
})

it('of all tables only invitations go in the same transaction as their key: they give access', async () => {
  const { rows } = await sql<{ name: string }>`select m."name" from sqlite_master m, pragma_foreign_key_list(m."name") f
    where m."type" = 'table' and f."table" = 'apiKey'`.execute(database.read)
  expect(rows).toEqual([{ name: 'invitation' }])
})
