import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askOnce } from '../../test/support/postgres-sql.ts'
import { newStorage, type Storage } from '../../test/support/storage.ts'
import { readConfig } from '../config.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open.ts'
import type { Db } from './tables.ts'

let storage: Storage
let database: Database

beforeEach(async () => {
  storage = await newStorage()
  database = await openDatabase(readConfig(storage.env))
})

afterEach(async () => {
  await database.close()
  await storage.remove()
})

const insert = (db: Db, version: number) =>
  db.insertInto('migration').values({ version, name: 'test', appliedAt: 0 }).execute()

const lock = (db: Db, version: number) =>
  db.updateTable('migration').set({ name: 'touched' }).where('version', '=', version).execute()

async function versions(): Promise<number[]> {
  const rows = await database.read.selectFrom('migration').select('version').orderBy('version').execute()
  return rows.map(({ version }) => version).filter((version) => version >= 1000)
}

async function withLimit(limit: number, work: (narrow: Database) => Promise<void>): Promise<void> {
  const url = `${storage.env['DATABASE_URL']}?connection_limit=${limit}`
  const narrow = await openDatabase(readConfig({ ...storage.env, DATABASE_URL: url }))
  await work(narrow).finally(() => narrow.close())
}

/** Ends the connection that a transaction is on, as a restart or a failover does. */
async function cutOff(db: Db): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  await askOnce(storage.env['DATABASE_URL'] ?? '')(
    (ask) => ask`select pg_terminate_backend(${rows[0]?.pid ?? 0}, 2000)`,
  )
}

describe('a transaction', () => {
  it('is all or nothing', async () => {
    await expect(
      database.transaction(async (db) => {
        await insert(db, 1000)
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await database.transaction((db) => insert(db, 1001))
    expect(await versions()).toEqual([1001])
  })

  it('K10: whose connection is lost writes nothing, not even on another connection', async () => {
    const outcomes: string[] = []
    const lost = database.transaction(async (db) => {
      await insert(db, 1000)
      await cutOff(db)
      for (const version of [1001, 1002]) {
        await insert(db, version).then(
          () => outcomes.push('written'),
          () => outcomes.push('refused'),
        )
        await pause(300) // long enough for anybody to connect again
      }
    })
    await expect(lost).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(outcomes).toEqual(['refused', 'refused'])
    expect(await versions()).toEqual([])
  })

  it('K10: whose process stands still in it is cut off, so that a revoke does not wait for it', async () => {
    const stopped = database.transaction(async (db) => {
      await insert(db, 1000)
      await lock(db, 1)
      await pause(3500)
      await insert(db, 1001)
    })
    await pause(200)
    const startedAt = performance.now()
    await database.transaction((db) => lock(db, 1))
    expect(performance.now() - startedAt).toBeLessThan(3000)
    await expect(stopped).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await versions()).toEqual([])
  })

  it('is run again when it stood in the way of another', async () => {
    await database.transaction(async (db) => {
      await insert(db, 1000)
      await insert(db, 1001)
    })
    let runs = 0
    const both = [
      [1000, 1001],
      [1001, 1000],
    ].map((order) =>
      database.transaction(async (db) => {
        runs++
        for (const version of order) {
          await lock(db, version)
          await pause(100)
        }
      }),
    )
    await Promise.all(both)
    expect(runs).toBeGreaterThan(2)
  })

  it.each([
    ['off', 'on'],
    ['remote_write', 'remote_write'],
  ])('is kept on disk once it has answered: with synchronous_commit %s it is %s', async (given, expected) => {
    const name = new URL(storage.env['DATABASE_URL'] ?? '').pathname.slice(1)
    await askOnce(storage.env['DATABASE_URL'] ?? '')((ask) =>
      ask.unsafe(`alter database "${name}" set synchronous_commit = ${given}`),
    )
    const hurried = await openDatabase(readConfig(storage.env))
    const { rows } = await hurried.transaction((db) => sql`show synchronous_commit`.execute(db))
    expect(rows).toEqual([{ synchronous_commit: expected }])
    await hurried.close()
  })

  it('ends a statement that takes more than five seconds, with 503', async () => {
    const slow = database.transaction((db) => sql`select pg_sleep(20)`.execute(db))
    await expect(slow).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('that is a migration may take its time', async () => {
    await database.transaction((db) => sql`select pg_sleep(5.5)`.execute(db), { unhurried: true })
  })
})

describe('the pool', () => {
  it('serves more than it has connections for, one after the other, and lets go of all of them', async () => {
    await withLimit(2, async (narrow) => {
      const many = Array.from({ length: 40 }, (_, i) => narrow.transaction((db) => insert(db, 1000 + i)))
      await Promise.all(many)
      const reads = Array.from({ length: 40 }, () =>
        narrow.read.selectFrom('migration').select('version').where('version', '>=', 1000).execute(),
      )
      expect((await Promise.all(reads)).every((rows) => rows.length === 40)).toBe(true)
      const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
        where datname = current_database() and application_name = 'portal' and backend_type = 'client backend'`.execute(
        database.read,
      )
      expect(rows[0]?.count).toBeLessThanOrEqual(4) // two of each, and none for lookups yet
    })
  })

  it('gives a connection back whatever happens on it', async () => {
    await withLimit(1, async (narrow) => {
      for (let i = 0; i < 5; i++) {
        await expect(sql`select 1 / 0`.execute(narrow.read)).rejects.toThrow(/division/)
        await expect(narrow.transaction((db) => sql`select 1 / 0`.execute(db))).rejects.toThrow(/division/)
        await expect(narrow.transaction(cutOff).then(() => narrow.ping())).rejects.toThrow()
      }
      await narrow.transaction((db) => insert(db, 1000))
      await narrow.ping()
    })
    expect(await versions()).toEqual([1000])
  })

  it('does not wait for ever: after five seconds the answer is 503', async () => {
    await withLimit(1, async (narrow) => {
      const letGo = Promise.withResolvers<void>()
      const busy = narrow.transaction(async (db) => {
        for (let i = 0; i < 7; i++) await sql`select pg_sleep(1)`.execute(db)
        letGo.resolve()
      })
      await expect(narrow.transaction((db) => insert(db, 1000))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      await busy
      await narrow.transaction((db) => insert(db, 1001))
    })
    expect(await versions()).toEqual([1001])
  })
})

describe('behind a pooler', () => {
  const preparedOn = async (db: Db) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_prepared_statements`.execute(db)
    return rows[0]?.count
  }

  it('nothing is prepared with pgbouncer=true, and statements are without', async () => {
    const url = `${storage.env['DATABASE_URL']}?connection_limit=1`
    for (const [more, expected] of [
      ['&pgbouncer=true', 0],
      ['', 1],
    ] as const) {
      const other = await openDatabase(readConfig({ ...storage.env, DATABASE_URL: url + more }))
      for (let i = 0; i < 3; i++) await other.read.selectFrom('user').selectAll().where('id', '=', 'x').execute()
      expect(await preparedOn(other.read)).toBe(expected)
      await other.transaction((db) => insert(db, 1000 + expected))
      await other.close()
    }
    expect(await versions()).toEqual([1000, 1001])
  })
})

it('a text with a NUL is found nowhere, and is no error', async () => {
  expect(await database.read.selectFrom('user').selectAll().where('email', '=', 'a\u0000b').execute()).toEqual([])
})

it('numbers come as numbers, and bytes as bytes', async () => {
  const { rows } =
    await sql`select count(*) as count, max("appliedAt") as max, '\\x00ff'::bytea as bytes from migration where version = 1`.execute(
      database.read,
    )
  expect(rows).toEqual([{ count: 1, max: expect.any(Number), bytes: Buffer.from([0, 255]) }])
})
