import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { askOnce } from '../../../test/support/postgres/postgres-sql.ts'
import { meetingOf } from '../../../test/support/world/meeting.ts'
import { newStorage, type Storage } from '../../../test/support/world/storage.ts'
import { PATIENT } from '../../../test/support/world/waiting.ts'
import { readConfig } from '../../config.ts'
import type { Database, OpenOptions } from '../database.ts'
import { openDatabase } from '../open.ts'
import type { Db } from '../tables.ts'

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

async function versions(db: Db = database.read): Promise<number[]> {
  const rows = await db.selectFrom('migration').select('version').orderBy('version').execute()
  return rows.map(({ version }) => version).filter((version) => version >= 1000)
}

/** Another way to the same database; what it waits for is not what is tested, unless it says so. */
async function openWith(timeouts: OpenOptions['timeouts'], parameters = ''): Promise<Database> {
  const url = `${storage.env['DATABASE_URL']}?${parameters}`
  const opened = await openDatabase(readConfig({ ...storage.env, DATABASE_URL: url }), {
    timeouts: { ...PATIENT, ...timeouts },
  })
  onTestFinished(() => opened.close())
  return opened
}

const withLimit = (limit: number, timeouts: OpenOptions['timeouts'] = {}) =>
  openWith(timeouts, `connection_limit=${limit}`)

/** Ends the connection that a transaction is on, as a restart or a failover does. */
async function cutOff(db: Db): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  await askOnce(storage.env['DATABASE_URL'] ?? '')(
    (ask) => ask`select pg_terminate_backend(${rows[0]?.pid ?? 0}, 2000)`,
  )
}

it('C11: a full disk of the server is UNAVAILABLE, and nothing is written', async () => {
  const failing = database.transaction(async (db) => {
    await insert(db, 1000)
    await sql`do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`.execute(db)
  })
  await expect(failing).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfterSeconds: 1 } })
  expect(await versions()).toEqual([])
})

describe('a transaction', () => {
  it('commits all of its writes or none', async () => {
    await expect(
      database.transaction(async (db) => {
        await insert(db, 1000)
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await database.transaction((db) => insert(db, 1001))
    expect(await versions()).toEqual([1001])
  })

  it('K10: writes nothing if its connection is lost, not even on another connection', async () => {
    const outcomes: string[] = []
    const lost = database.transaction(async (db) => {
      await insert(db, 1000)
      await cutOff(db)
      for (const version of [1001, 1002]) {
        await insert(db, version).then(
          () => outcomes.push('written'),
          () => outcomes.push('refused'),
        )
        await versions() // on another connection: whoever wanted one could have it
      }
    })
    await expect(lost).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(outcomes).toEqual(['refused', 'refused'])
    expect(await versions()).toEqual([])
  })

  it('K10: is ended by the server if its process is stopped, so that a revoke does not wait for it', async () => {
    const [locked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const [stopping, patient] = [await openWith({ idleInTransactionMs: 100 }), await openWith({})]
    const stopped = stopping.transaction(async (db) => {
      await insert(db, 1000)
      await lock(db, 1)
      locked.resolve()
      await goOn.promise
      await insert(db, 1001)
    })
    await locked.promise
    await patient.transaction((db) => lock(db, 1))
    goOn.resolve()
    await expect(stopped).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await versions()).toEqual([])
  })

  it('is retried after a conflict with another one', async () => {
    await database.transaction(async (db) => {
      await insert(db, 1000)
      await insert(db, 1001)
    })
    let runs = 0
    const bothHoldOne = meetingOf(2)
    const both = [
      [1000, 1001],
      [1001, 1000],
    ].map((order) =>
      database.transaction(async (db) => {
        runs++
        for (const version of order) {
          await lock(db, version)
          await bothHoldOne()
        }
      }),
    )
    await Promise.all(both)
    expect(runs).toBe(3)
  })

  it.each([
    ['off', 'on'],
    ['remote_write', 'remote_write'],
  ])('is on disk once it has returned: with synchronous_commit %s it is %s', async (given, expected) => {
    const name = new URL(storage.env['DATABASE_URL'] ?? '').pathname.slice(1)
    await askOnce(storage.env['DATABASE_URL'] ?? '')((ask) =>
      ask.unsafe(`alter database "${name}" set synchronous_commit = ${given}`),
    )
    const hurried = await openDatabase(readConfig(storage.env))
    const { rows } = await hurried.transaction((db) => sql`show synchronous_commit`.execute(db))
    expect(rows).toEqual([{ synchronous_commit: expected }])
    await hurried.close()
  })

  it('sets its timeouts on the server, also behind a pooler: five seconds a statement, two between statements', async () => {
    for (const parameters of ['', 'pgbouncer=true']) {
      const opened = await openDatabase(
        readConfig({ ...storage.env, DATABASE_URL: `${storage.env['DATABASE_URL']}?${parameters}` }),
      )
      onTestFinished(() => opened.close())
      const { rows } = await opened.transaction((db) =>
        sql`select current_setting('statement_timeout') as statement,
          current_setting('idle_in_transaction_session_timeout') as idle`.execute(db),
      )
      expect(rows).toEqual([{ statement: '5s', idle: '2s' }])
    }
  })

  it('ends a statement that takes too long, with 503', async () => {
    const hurried = await openWith({ statementMs: 1000 })
    const slow = hurried.transaction((db) => sql`select pg_sleep(60)`.execute(db))
    await expect(slow).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('closes a connection without an answer, with 503', async () => {
    const hurried = await openWith({ answerMs: 500 })
    const slow = hurried.transaction((db) => sql`select pg_sleep(60)`.execute(db))
    await expect(slow).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('has no timeout if it is a migration', async () => {
    const hurried = await openWith({ statementMs: 1000 })
    await hurried.transaction((db) => sql`select pg_sleep(1.2)`.execute(db), { noTimeout: true })
  })
})

describe('the pool', () => {
  it('serves more users than it has connections, one after the other, and leaks none', async () => {
    const narrow = await withLimit(2)
    const many = Array.from({ length: 40 }, (_, i) => narrow.transaction((db) => insert(db, 1000 + i)))
    await Promise.all(many)
    const reads = Array.from({ length: 40 }, (_, i) =>
      narrow.read
        .selectFrom('migration')
        .select('version')
        .where('version', '>=', 1000)
        .limit(40 + i)
        .execute(),
    )
    expect((await Promise.all(reads)).every((rows) => rows.length === 40)).toBe(true)
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'portal' and backend_type = 'client backend'`.execute(
      database.read,
    )
    expect(rows[0]?.count).toBeLessThanOrEqual(4) // two of each, and none for lookups yet
  })

  it('sends equal reads that wait once, and one that began before is not joined', async () => {
    const idOf = async (name: string) =>
      (await sql<{ id: string }>`select ${name} || gen_random_uuid() as id`.execute(database.read)).rows
    const [one, equal, other] = await Promise.all([idOf('a'), idOf('a'), idOf('b')])
    expect(equal).toEqual(one)
    expect(equal).not.toBe(one)
    expect(other).not.toEqual(one)
    expect(await idOf('a')).not.toEqual(one)

    const countSlowly = async () =>
      (
        await sql<{
          count: number
        }>`select count(*) as count from pg_sleep(0.3), migration where version >= 1000`.execute(database.read)
      ).rows[0]?.count
    const before = countSlowly()
    await database.transaction((db) => insert(db, 1000))
    expect([await countSlowly(), await before]).toEqual([1, 0])
  })

  it('gets a connection back whatever happens on it', async () => {
    const narrow = await withLimit(1)
    for (let i = 0; i < 5; i++) {
      await expect(sql`select 1 / 0`.execute(narrow.read)).rejects.toThrow(/division/)
      await expect(narrow.transaction((db) => sql`select 1 / 0`.execute(db))).rejects.toThrow(/division/)
      await expect(narrow.transaction(cutOff).then(() => narrow.ping())).rejects.toThrow()
    }
    await narrow.transaction((db) => insert(db, 1000))
    await narrow.ping()
    expect(await versions()).toEqual([1000])
  })

  it('refuses with 503 after a timeout', async () => {
    const narrow = await withLimit(1, { connectionMs: 50 })
    const letGo = Promise.withResolvers<void>()
    const busy = narrow.transaction(async (db) => {
      await versions(db)
      await letGo.promise
    })
    await expect(narrow.transaction((db) => insert(db, 1000))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    letGo.resolve()
    await busy
    await narrow.transaction((db) => insert(db, 1001))
    expect(await versions()).toEqual([1001])
  })
})

describe('behind a pooler', () => {
  const preparedOn = async (db: Db) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_prepared_statements`.execute(db)
    return rows[0]?.count
  }

  it('statements are prepared, except with pgbouncer=true', async () => {
    for (const [more, expected] of [
      ['&pgbouncer=true', 0],
      ['', 1],
    ] as const) {
      const other = await openWith({}, `connection_limit=1${more}`)
      for (let i = 0; i < 3; i++) await other.read.selectFrom('user').selectAll().where('id', '=', 'x').execute()
      expect(await preparedOn(other.read)).toBe(expected)
      await other.transaction((db) => insert(db, 1000 + expected))
    }
    expect(await versions()).toEqual([1000, 1001])
  })
})

it('a text with a NUL matches nothing, and is no error', async () => {
  expect(await database.read.selectFrom('user').selectAll().where('email', '=', 'a\u0000b').execute()).toEqual([])
})

it('returns numbers as numbers, and bytes as bytes', async () => {
  const { rows } =
    await sql`select count(*) as count, max("appliedAt") as max, '\\x00ff'::bytea as bytes from migration where version = 1`.execute(
      database.read,
    )
  expect(rows).toEqual([{ count: 1, max: expect.any(Number), bytes: Buffer.from([0, 255]) }])
})
