import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '../database.ts'
import { HEAVY_READS } from '../heavy-reads.ts'
import { migrate } from '../migrate.ts'
import type { Db } from '../tables.ts'
import { openSqlite } from './database.ts'
import { createReaders } from './heavy-reads.ts'

const ASKER = { organizationId: 'o-1' }

async function open(heavyReads: Parameters<typeof openSqlite>[1] = {}): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  const database = openSqlite(folder, heavyReads)
  onTestFinished(async () => {
    await database.close().catch(() => {}) // a test may have closed it
    rmSync(folder, { recursive: true })
  })
  await migrate(database)
  await addOrganizations(database, 600)
  return database
}

const addOrganizations = (database: Database, count: number) =>
  database.transaction((db) =>
    sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
      with recursive "n" ("i") as (select 1 union all select "i" + 1 from "n" where "i" < ${count})
      select 'o-' || "i", 'ORGANIZATION', 'Name', 'name', 'slug-' || "i", 0, 0 from "n"`.execute(db),
  )

const countOrganizations = async (db: Db) =>
  (
    await db
      .selectFrom('organization')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

/** 600 to the power of four rows: it would take a day. */
const forDays = (db: Db) =>
  db
    .selectFrom('organization as a')
    .innerJoin('organization as b', 'b.kind', 'a.kind')
    .leftJoin('organization as c', 'c.kind', 'b.kind')
    .innerJoin('organization as d', 'd.kind', 'b.kind')
    .where(sql`"a"."id" || "b"."id" || "c"."id" || "d"."id"`, '=', 'of nobody')
    .select((eb) => eb.fn.countAll<number>().as('count'))

it('C16: a heavy read sees earlier writes, and returns rows like any other', async () => {
  const database = await open()
  const heavy = database.heavyRead(ASKER)
  expect(await countOrganizations(heavy)).toBe(600)
  await database.transaction((db) => db.deleteFrom('organization').where('id', '=', 'o-7').execute())
  expect(await countOrganizations(heavy)).toBe(599)
  const page = (db: Db) => db.selectFrom('organization').selectAll().orderBy('id').limit(3).execute()
  expect(await page(heavy)).toEqual(await page(database.read))
})

it.each<[string, (db: Db) => Promise<unknown>]>([
  ['loops inside loops', (db) => forDays(db).execute()],
  [
    'a subquery in a condition',
    (db) =>
      db
        .selectFrom('organization')
        .selectAll()
        .where('id', 'in', forDays(db).clearSelect().select('c.id').$castTo<{ id: string }>())
        .execute(),
  ],
  ['a subquery to select from', (db) => countOf(db, forDays(db))],
  [
    'both sides of a union',
    (db) => db.selectFrom('organization').select('createdAt as count').unionAll(forDays(db)).execute(),
  ],
])('C16: a statement that would run for days ends at its time limit: %s', async (_name, ask) => {
  const database = await open({ heavyReads: { statementMs: 100 } })
  await expect(ask(database.heavyRead(ASKER))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('Narrow the filter'),
  })
  expect(await countOrganizations(database.heavyRead(ASKER))).toBe(600)
})

const countOf = (db: Db, inner: ReturnType<typeof forDays>) =>
  db.selectFrom(inner.as('organization')).select('organization.count').execute()

it('C16: a statement that took too long says so each time, and works again for one with less to read', async () => {
  const database = await open({ heavyReads: { statementMs: 100, threads: 1 } })
  const heavy = database.heavyRead(ASKER)
  const startingWith = (name: string) => forDays(heavy).where('a.name', '=', name).execute()
  for (let i = 0; i < 3; i++) await expect(startingWith('Name')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await startingWith('nobody')).toEqual([{ count: 0 }])
})

it('C16: during a heavy read the event loop continues, and another organization is answered', async () => {
  const database = await open({ heavyReads: { statementMs: 60_000 } })
  const slow = forDays(database.heavyRead(ASKER))
    .execute()
    .catch((error) => error.code)
  expect(await countOrganizations(database.heavyRead({ organizationId: 'o-2' }))).toBe(600)
  expect(await countOrganizations(database.read)).toBe(600)
  await database.close()
  expect(await slow).toBe('UNAVAILABLE')
})

it('an error is the same as from the direct connection, and the thread continues', async () => {
  const database = await open()
  const wrong = (db: Db) => sql`select * from "nowhere"`.execute(db).catch(({ message }) => message)
  expect(await wrong(database.heavyRead(ASKER))).toBe(await wrong(database.read))
  expect(await countOrganizations(database.heavyRead(ASKER))).toBe(600)
})

it('heavy reads cannot write', async () => {
  const database = await open()
  const written = database.heavyRead(ASKER).deleteFrom('organization').execute()
  await expect(written).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await countOrganizations(database.read)).toBe(600)
})

it('a read that returns more rows than any list is a bug, and does no harm', async () => {
  const database = await open()
  const rows = sql`select "a"."id" from "organization" "a", "organization" "b"`.execute(database.heavyRead(ASKER))
  await expect(rows).rejects.toThrow('more than 50000 rows')
  expect(await countOrganizations(database.heavyRead(ASKER))).toBe(600)
})

it('a thread that dies is replaced, and its caller gets an error', async () => {
  const database = await open()
  await database.close() // all of it is in one file
  const file = join(database.location, 'another.db')
  const readers = createReaders(file, HEAVY_READS)
  await expect(countOrganizations(readers.for(ASKER))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  copyFileSync(join(database.location, 'portal.db'), file)
  expect(await countOrganizations(readers.for(ASKER))).toBe(600)
  await readers.close()
})
