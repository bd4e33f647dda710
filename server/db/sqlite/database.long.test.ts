import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LIMITS } from '../../config/limits.ts'
import { AppError, OperatorError } from '../../lib/app-error.ts'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { openDatabase } from '../open.ts'
import type { Db } from '../tables.ts'
import { openSqlite } from './database.ts'

let folder: string
let database: Database

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portal-'))
  database = await openDatabase({ dataDir: folder })
  await migrate(database)
})

afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const migrations = () => database.read.selectFrom('migration').selectAll().execute()
const insert = (version: number) =>
  database.transaction((db) => db.insertInto('migration').values({ version, name: 'x', appliedAt: 0 }).execute())

it('every committed write is on disk: WAL, synchronous=FULL, foreign keys on', async () => {
  await database.transaction(async (db) => {
    expect((await sql`pragma journal_mode`.execute(db)).rows).toEqual([{ journal_mode: 'wal' }])
    expect((await sql`pragma synchronous`.execute(db)).rows).toEqual([{ synchronous: 2 }])
    expect((await sql`pragma foreign_keys`.execute(db)).rows).toEqual([{ foreign_keys: 1 }])
  })
})

it('syncs once for several writes in a row, and always syncs the last one', async () => {
  const synchronous = async (db: Db) => (await sql`pragma synchronous`.execute(db)).rows
  expect(await database.transaction(synchronous, { moreFollows: true })).toEqual([{ synchronous: 1 }])
  expect(await database.transaction(synchronous)).toEqual([{ synchronous: 2 }])
  const failing = database.transaction(() => Promise.reject(new Error('planted')), { moreFollows: true })
  await expect(failing).rejects.toThrow('planted')
  expect(await database.transaction(synchronous)).toEqual([{ synchronous: 2 }])
})

it('reads continue during a transaction of this process, and do not see uncommitted writes', async () => {
  const { promise: hold, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const writing = database.transaction(async (db) => {
    await db.insertInto('migration').values({ version: 90, name: 'x', appliedAt: 0 }).execute()
    begin()
    await hold
  })
  await begun

  expect((await migrations()).map((row) => row.version)).not.toContain(90)
  letGo()
  await writing
  expect((await migrations()).map((row) => row.version)).toContain(90)
})

it('neither delays a read nor blocks the event loop while another process holds the write lock', async () => {
  const other = spawn(process.execPath, ['-e', HOLD_LOCK, join(folder, 'portal.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(other.stdout, 'data')
  const order: string[] = []
  const writing = insert(91).then(() => order.push('written'))
  for (let i = 0; i < 200; i++) {
    await migrations()
    await new Promise(setImmediate)
  }
  order.push('read')
  other.stdin.end() // lets go of the lock, for which whoever waits on the event loop would have waited in vain
  await writing

  expect(order).toEqual(['read', 'written'])
  expect((await migrations()).map((row) => row.version)).toContain(91)
})

const HOLD_LOCK = `
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync(process.argv[1])
  db.exec('begin immediate')
  process.stdout.write('held')
  process.stdin.resume().on('end', () => { db.exec('commit'); process.exit(0) })
`

it('runs transactions one after another, and rolls back one that throws', async () => {
  const order: string[] = []
  const first = database.transaction(async (db) => {
    order.push('first begins')
    await db.insertInto('migration').values({ version: 92, name: 'x', appliedAt: 0 }).execute()
    await new Promise(setImmediate)
    order.push('first ends')
    throw new Error('undo')
  })
  const second = database.transaction(async () => order.push('second begins'))
  await expect(first).rejects.toThrow('undo')
  await second

  expect(order).toEqual(['first begins', 'first ends', 'second begins'])
  expect((await migrations()).map((row) => row.version)).not.toContain(92)
})

it('C16: a write is next, however many of another organization wait', async () => {
  const letGo = Promise.withResolvers<void>()
  const held = database.transaction(() => letGo.promise, { organizationId: 'a' })
  const order: string[] = []
  const write = (organizationId: string) =>
    database.transaction(async () => order.push(organizationId), { organizationId })
  const many = Array.from({ length: 100 }, () => write('a'))
  const others = [write('b'), write('c')]
  letGo.resolve()
  await Promise.all([held, ...many, ...others])
  expect(order.slice(0, 2)).toEqual(['b', 'c'])
  expect(order).toHaveLength(102)
})

it('C16: an organization that fills the queue of writes is refused, and no other', async () => {
  const letGo = Promise.withResolvers<void>()
  const held = database.transaction(() => letGo.promise, { organizationId: 'a' })
  const write = (organizationId: string) => database.transaction(async () => organizationId, { organizationId })
  const many = Array.from({ length: LIMITS.connection_waits_of_organization }, () => write('a'))
  await expect(write('a')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('Send fewer at once'),
    details: { retryAfterSeconds: 1 },
  })
  const other = write('b')
  letGo.resolve()
  await Promise.all([held, ...many])
  expect(await other).toBe('b')
})

it('a write that waited in the queue for too long is refused, and not done later', async () => {
  const impatient = openSqlite(folder, { writePatienceMs: 20 })
  const letGo = Promise.withResolvers<void>()
  const held = impatient.transaction(() => letGo.promise)
  const write = (version: number) =>
    impatient.transaction((db) => db.insertInto('migration').values({ version, name: 'x', appliedAt: 0 }).execute())
  await expect(write(93)).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfterSeconds: 1 } })
  letGo.resolve()
  await held
  await write(94)
  await impatient.close()
  expect((await migrations()).map(({ version }) => version).slice(-1)).toEqual([94])
})

describe('a transaction that goes on for too long', () => {
  const insert = (db: Db, version: number) =>
    db.insertInto('migration').values({ version, name: 'x', appliedAt: 0 }).execute()
  /** Writes until it is refused, or a thousand times. */
  const goOn = async (db: Db) => {
    for (let version = 10_000; version < 11_000; version++) await insert(db, version)
  }
  const impatient = () => openSqlite(folder, { transactionMs: 1 })
  const inserted = async () => (await migrations()).filter(({ version }) => version >= 10_000).length

  it.each([{}, { moreFollows: true }, { organizationId: 'a' }])(
    'is undone and refused, and the next one is not (%j)',
    async (options) => {
      const database = impatient()
      await expect(database.transaction(goOn, options)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('Send fewer items in a call'),
      })
      expect(await inserted()).toBe(0)
      const synchronous = (db: Db) => sql<{ synchronous: number }>`pragma synchronous`.execute(db)
      expect((await database.transaction(synchronous)).rows).toEqual([{ synchronous: 2 }])
      await database.close()
    },
  )

  it.each([{ noTimeout: true }, { usesReserve: 'revoke' } as const])(
    'is done if it has to be (%j)',
    async (options) => {
      const database = impatient()
      await database.transaction(goOn, options)
      expect(await inserted()).toBe(1000)
      await database.transaction((db) => db.deleteFrom('migration').where('version', '>=', 10_000).execute(), options)
      await database.close()
    },
  )
})

it('answers UNAVAILABLE when the disk is full, and recovers', async () => {
  const raw = new DatabaseSync(join(folder, 'portal.db'))
  const pages = Number(raw.prepare('pragma page_count').get()?.['page_count'])
  raw.close()
  const fill = (limit: number) =>
    database.transaction(async (db) => {
      await sql.raw(`pragma max_page_count = ${limit}`).execute(db)
      await db
        .insertInto('migration')
        .values({ version: limit, name: 'x'.repeat(1e6), appliedAt: 0 })
        .execute()
    })

  const refused = await fill(pages + 10).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(AppError)
  expect(refused).toMatchObject({ code: 'UNAVAILABLE' })
  await fill(1_000_000)
})

it('refuses a database that is newer than the program, with a message that says what to do', async () => {
  await insert(1000)
  await expect(migrate(database)).rejects.toThrow(/newer than this program.*start the newer program/)
})

it('migrates once, with several processes at the same time', async () => {
  const other = mkdtempSync(join(tmpdir(), 'portal-'))
  const many = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ dataDir: other })))
  const applied = await Promise.all(many.map((each) => migrate(each)))

  expect(applied.filter((result) => result.applied.length > 0)).toHaveLength(1)
  await Promise.all(many.map((each) => each.close()))
  rmSync(other, { recursive: true })
})

it('reports in one sentence that a file is damaged, is no database, or that a folder is not writable', async () => {
  const other = mkdtempSync(join(tmpdir(), 'portal-'))
  writeFileSync(
    join(other, 'portal.db'),
    'this is no database, and it is longer than a header of one would be'.repeat(20),
  )
  await expect(openDatabase({ dataDir: other })).rejects.toThrow(OperatorError)
  await expect(openDatabase({ dataDir: other })).rejects.toThrow(/damaged or is not a database: restore it/)
  await expect(openDatabase({ dataDir: join(other, 'portal.db', 'below-a-file') })).rejects.toThrow(
    /cannot be written to/,
  )
  rmSync(other, { recursive: true })
})

it('does not answer when the file was replaced', async () => {
  await database.ping()
  renameSync(join(folder, 'portal.db'), join(folder, 'moved.db'))
  await expect(database.ping()).rejects.toThrow()
  writeFileSync(join(folder, 'portal.db'), '')
  await expect(database.ping()).rejects.toThrow(/replaced, removed or truncated/)
})
