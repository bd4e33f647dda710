import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery } from 'kysely'
import { expect, it, vi } from 'vitest'
import { SqliteConnection, sqliteReads } from './driver.ts'

const OTHERS = 1000

it('keeps a frequently used statement prepared, however many others there are', async () => {
  const database = new DatabaseSync(':memory:')
  const prepare = vi.spyOn(database, 'prepare')
  const db = sqliteReads(new SqliteConnection(database, { retryUntil: () => 0 }))
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
