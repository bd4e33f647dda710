import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startProxy } from '../../../test/fault/proxy.ts'
import { newStorage, type Storage } from '../../../test/support/world/storage.ts'
import { readConfig } from '../../config.ts'
import type { Database } from '../database.ts'
import { openDatabase } from '../open.ts'
import type { Db } from '../tables.ts'
import type { Transaction } from '../transaction.ts'

/*
 * Statements of a transaction that are sent before the one ahead of them has answered. None may be kept alone.
 */

let storage: Storage
let database: Database

beforeEach(async () => {
  storage = await newStorage()
  database = await openOn(urlWith('connection_limit=1'))
})

afterEach(async () => {
  await database.close()
  await storage.remove()
})

const urlWith = (parameters: string) => `${storage.env['DATABASE_URL']}?${parameters}`
const openOn = (url: string) => openDatabase(readConfig({ ...storage.env, DATABASE_URL: url }))

const insertion = (db: Db, version: number) =>
  db.insertInto('migration').values({ version, name: 'test', appliedAt: 0 })
const insert = async (db: Db, version: number) => void (await insertion(db, version).execute())
const insertAtTheEnd = (db: Transaction, version: number) => db.defer(insertion(db, version))
const failing = (db: Db) => sql`select 1 / 0`.execute(db)

async function versions(db: Db = database.read): Promise<number[]> {
  const rows = await db.selectFrom('migration').select('version').orderBy('version').execute()
  return rows.map(({ version }) => version).filter((version) => version >= 1000)
}

it('runs statements that are requested together in order', async () => {
  const seen = await database.transaction((db) =>
    Promise.all([versions(db), insert(db, 1000), versions(db), insert(db, 1001), versions(db)]),
  )
  expect([seen[0], seen[2], seen[4]]).toEqual([[], [1000], [1000, 1001]])
})

it('sends deferred writes with the commit, all of them or none', async () => {
  const before = await database.transaction(async (db) => {
    await insertAtTheEnd(db, 1001)
    await insert(db, 1000)
    return versions(db)
  })
  expect(before).toEqual([1000])
  expect(await versions()).toEqual([1000, 1001])

  const twice = database.transaction(async (db) => {
    await insert(db, 1002)
    for (const version of [1003, 1001, 1004]) await insertAtTheEnd(db, version)
  })
  await expect(twice).rejects.toMatchObject({ code: '23505' })
  expect(await versions()).toEqual([1000, 1001])
  await database.transaction((db) => insertAtTheEnd(db, 1005))
  expect(await versions()).toEqual([1000, 1001, 1005])
})

it('commits nothing after a failed statement, even if nobody handled its error', async () => {
  const careless = database.transaction(async (db) => {
    await insert(db, 1000)
    await failing(db).catch(() => {})
  })
  await expect(careless).rejects.toThrow(/division by zero/)
  expect(await versions()).toEqual([])
})

it('throws the first error, whichever statement is awaited', async () => {
  const later = database.transaction(async (db) => {
    void failing(db).catch(() => {})
    await insert(db, 1000)
  })
  await expect(later).rejects.toThrow(/division by zero/)
})

it('sends nothing after its end, not even statements that were requested before', async () => {
  const writes: Promise<unknown>[] = []
  const given = database.transaction(async (db) => {
    writes.push(insert(db, 1000).catch((error: Error) => error.message))
    await turn() // it waits for `begin` to be answered now
    throw new Error('no')
  })
  await expect(given).rejects.toThrow('no')
  expect(await Promise.all(writes)).toEqual(['The transaction has ended.'])

  const kept = await database.transaction(async (db) => db)
  await expect(insert(kept, 1001)).rejects.toThrow('ended')
  expect(await versions()).toEqual([])
})

it.each([
  ['at once', insert],
  ['at the end', insertAtTheEnd],
])('commits nothing if it could not begin: with a write %s', async (_when, write) => {
  const { port, host } = new URL(storage.env['DATABASE_URL'] ?? '')
  let fate = 0.9 // a statement fails below 0.5
  const failNext = () => {
    fate = 0
  }
  const random = () => {
    const now = fate
    fate = 0.9
    return now
  }
  const proxy = await startProxy({ port: () => Number(port), random })
  proxy.set({ failRate: 0.5 })
  const other = await openOn(urlWith('connection_limit=1&sslmode=disable').replace(host, `127.0.0.1:${proxy.port}`))
  await other.transaction((db) => write(db, 1000)) // from here on the server knows the statement

  failNext()
  await expect(other.transaction((db) => write(db, 1001))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  failNext()
  const careless = other.transaction(async (db) => {
    await versions(db).catch(() => {})
    await write(db, 1002)
  })
  await expect(careless).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(proxy.statements().failed).toBe(2)
  expect(await versions()).toEqual([1000])
  await other.close()
  await proxy.close()
})

it('a statement that the server no longer has prepared is not repeated, since the transaction has ended by then', async () => {
  await database.transaction((db) => insertAtTheEnd(db, 1000))
  await sql`deallocate all`.execute(database.read)
  await expect(database.transaction((db) => insertAtTheEnd(db, 1001))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await versions()).toEqual([1000])
  await database.transaction((db) => insertAtTheEnd(db, 1002))
  expect(await versions()).toEqual([1000, 1002])
})
