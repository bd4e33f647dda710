import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { askOnce } from '../../../test/support/postgres/postgres-sql.ts'
import { newStorage, type Storage } from '../../../test/support/world/storage.ts'
import { PATIENT } from '../../../test/support/world/waiting.ts'
import { readConfig } from '../../config.ts'
import { MINUTE } from '../../lib/clock.ts'
import type { Database } from '../database.ts'
import { lookup } from '../lookup.ts'
import { openDatabase } from '../open.ts'

const bySlug = lookup({ slug: 'text' }, (db, { slug }) =>
  db.selectFrom('organization').select(['id', 'name']).where('slug', '=', slug),
)
const byName = lookup({ id: 'text', name: 'text' }, (db, { id, name }) =>
  db.selectFrom('organization').select('slug').where('id', '=', id).where('name', '=', name),
)

let storage: Storage
let database: Database

beforeEach(async () => {
  storage = await newStorage()
  database = await openDatabase(readConfig(storage.env), { timeouts: { ...PATIENT, lookupMs: MINUTE } })
  const rows = ['a', 'b', 'c'].map((slug) => ({ id: `id-${slug}`, slug, name: `"${slug}\\" {,}`, nameKey: slug }))
  await database.transaction((db) =>
    db
      .insertInto('organization')
      .values(rows.map((row) => ({ ...row, kind: 'ORGANIZATION' as const, apiKeysEnabled: 0 as const, createdAt: 0 })))
      .execute(),
  )
})

afterEach(async () => {
  await database.close()
  await storage.remove()
})

const idIn = async (asked: Database, slug: string) => (await asked.lookUp(bySlug, { slug })).row?.id
const idOf = (slug: string) => idIn(database, slug)

async function openWith(lookupMs: number): Promise<Database> {
  const opened = await openDatabase(readConfig(storage.env), { timeouts: { ...PATIENT, lookupMs } })
  onTestFinished(() => opened.close())
  return opened
}

/** Keeps every query on organizations waiting until it is let go, by a lock on the table. */
async function blockLookups() {
  const letGo = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const url = storage.env['DATABASE_URL'] ?? ''
  const done = askOnce(url)((sql) =>
    sql.begin(async (tx) => {
      await tx`lock table organization in access exclusive mode`
      held.resolve()
      await letGo.promise
    }),
  )
  await held.promise
  return async () => {
    letGo.resolve()
    await done
  }
}

it('returns to each caller its own row, or none, whatever the values contain', async () => {
  const asked = ['a', 'nobody', 'b', 'a', '', '{"\\', 'c', 'a\u0000']
  expect(await Promise.all(asked.map(idOf))).toEqual([
    'id-a',
    undefined,
    'id-b',
    'id-a',
    undefined,
    undefined,
    'id-c',
    undefined,
  ])
  const { row } = await database.lookUp(byName, { id: 'id-b', name: '"b\\" {,}' })
  expect(row?.slug).toBe('b')
})

it('returns the time of the database', async () => {
  const { now } = await database.lookUp(bySlug, { slug: 'a' })
  expect(Math.abs(now - Date.now())).toBeLessThan(MINUTE) // the server runs on this machine, or on one whose clock is right
  expect(Math.abs(database.now() - Date.now())).toBeLessThan(MINUTE)
})

it('runs at once if no query is in progress', async () => {
  const before = database.lookups.queries
  await idOf('a')
  await idOf('b')
  expect(database.lookups.queries - before).toBe(2)
})

it('K10: a lookup that arrives during a query shares the next one, and never joins the one that was sent', async () => {
  await idOf('a')
  const before = database.lookups.queries
  const letGo = await blockLookups()
  const first = idOf('a')
  await expect.poll(() => database.lookups.queries - before).toBe(1)
  const others = Promise.all(['a', 'a', 'a'].map(idOf))
  expect(database.lookups.queries - before).toBe(1)
  await askOnce(storage.env['DATABASE_URL'] ?? '')((sql) => sql`select 1`) // whatever was about to be sent has been by now
  expect(database.lookups.queries - before).toBe(1)
  await letGo()

  expect(await first).toBe('id-a')
  expect(await others).toEqual(['id-a', 'id-a', 'id-a'])
  expect(database.lookups.queries - before).toBe(2)
})

it('K10: without an answer in time, all waiting lookups fail with 503, and it recovers by itself', async () => {
  const hurried = await openWith(200)
  const code = (slug: string) => idIn(hurried, slug).catch((error) => error.code)
  await expect.poll(() => code('a')).toBe('id-a') // it is connected
  const letGo = await blockLookups()
  expect(await Promise.all(['a', 'b', 'c'].map(code))).toEqual(Array(3).fill('UNAVAILABLE'))
  await letGo()
  await expect.poll(() => code('a')).toBe('id-a')
})

it('refuses at once when too many lookups wait', async () => {
  const patient = await openWith(MINUTE)
  await idIn(patient, 'a')
  const letGo = await blockLookups()
  let settled = 0
  const answers = Array.from({ length: 5100 }, () =>
    idIn(patient, 'a')
      .catch(({ code }) => code)
      .finally(() => settled++),
  )
  expect(new Set(await Promise.all(answers.slice(5000)))).toEqual(new Set(['UNAVAILABLE']))
  expect(settled).toBe(100) // all others are still in line
  await letGo()
  expect(new Set(await Promise.all(answers.slice(0, 5000)))).toEqual(new Set(['id-a']))
})

it('P5: 64 concurrent callers need at most 0.2 queries a lookup', async ({ annotate }) => {
  const { asked, queries } = { ...database.lookups }
  const client = async () => {
    for (let i = 0; i < 100; i++) expect(await idOf('b')).toBe('id-b')
  }
  await Promise.all(Array.from({ length: 64 }, client))
  const ratio = (database.lookups.queries - queries) / (database.lookups.asked - asked)
  await annotate(`${ratio.toFixed(4)} queries a lookup`)
  expect(ratio).toBeLessThanOrEqual(0.2)
})

it('K10: a server that turns out to be a standby, as behind a pooler, is not trusted', async () => {
  const url = storage.env['DATABASE_URL'] ?? ''
  await askOnce(url)(async (sql) => {
    await sql.unsafe(`create table demoted (yes boolean); insert into demoted values (false);
      create function pg_is_in_recovery() returns boolean language sql as 'select yes from public.demoted';
      do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`)
  })
  const pooled = await openDatabase(readConfig(storage.env))
  const ask = () => pooled.lookUp(bySlug, { slug: 'a' })
  expect((await ask()).row?.id).toBe('id-a')
  await pooled.ping()

  await askOnce(url)((sql) => sql`update public.demoted set yes = true`)
  await expect(ask()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(ask()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(pooled.ping()).rejects.toThrow(/standby/)

  await askOnce(url)((sql) => sql`update public.demoted set yes = false`)
  expect((await ask()).row?.id).toBe('id-a')
  await pooled.close()
})
