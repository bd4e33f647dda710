import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, Kysely } from 'kysely'
import { expect, it, vi } from 'vitest'
import { prepared } from '../prepared.ts'
import type { Db, Tables } from '../tables.ts'
import { sqliteDialect } from './driver.ts'

const OTHERS = 1000

it('keeps a frequently used statement prepared, however many others there are', async () => {
  const database = new DatabaseSync(':memory:')
  const prepare = vi.spyOn(database, 'prepare')
  const db = new Kysely({ dialect: sqliteDialect(database, { exclusive: false, retryUntil: () => 0 }) })
  const run = (sql: string) => db.executeQuery(CompiledQuery.raw(sql))
  const timesPrepared = (sql: string) => prepare.mock.calls.filter(([text]) => text === sql).length
  for (let i = 0; i < OTHERS; i++) {
    expect((await run('select 1 as "hot"')).rows).toEqual([{ hot: 1 }])
    await run(`select ${i} as "other"`)
  }
  expect(timesPrepared('select 1 as "hot"')).toBe(1)

  await run('select 0 as "other"')
  expect(timesPrepared('select 0 as "other"')).toBe(2) // one that nobody asks for goes
  database.close()
})

it('a query of one row answers as the same query of many rows does', async () => {
  const database = new DatabaseSync(':memory:')
  database.exec('create table "device" ("id" text, "name" text, "lastSeenAt" integer)')
  database.exec(`insert into "device" values ('a', 'first', null), ('b', '', ${Number.MAX_SAFE_INTEGER})`)
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database, { exclusive: false, retryUntil: () => 0 }) })
  const byId = (db: Db, { id }: { id: string }) =>
    db.selectFrom('device').select(['id', 'name', 'lastSeenAt']).where('id', '=', id)
  const [one, many] = [prepared(byId, { isOneRow: true }), prepared(byId)]
  for (const id of ['a', 'b', 'none', 'a']) expect(await one(db, { id })).toEqual(await many(db, { id }))
  expect(await one(db, { id: 'a' })).toEqual([{ id: 'a', name: 'first', lastSeenAt: null }])
  database.close()
})
