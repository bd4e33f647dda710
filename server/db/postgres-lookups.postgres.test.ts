import { afterEach, beforeEach, expect, it } from 'vitest'
import { askOnce } from '../../test/support/postgres-sql.ts'
import { newStorage, type Storage } from '../../test/support/storage.ts'
import { readConfig } from '../config.ts'
import type { Database } from './database.ts'
import { lookup } from './lookup.ts'
import { openDatabase } from './open.ts'

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
  database = await openDatabase(readConfig(storage.env))
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

const idOf = async (slug: string) => (await database.lookUp(bySlug, { slug })).row?.id

/** Keeps every query on organizations waiting until it is let go, by a lock on the table. */
async function hold() {
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

it('gives each who asks their own row, or none, whatever is in the values', async () => {
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

it('tells what time it is in the database', async () => {
  const { now } = await database.lookUp(bySlug, { slug: 'a' })
  expect(Math.abs(now - Date.now())).toBeLessThan(2000) // the server runs on this machine
  expect(Math.abs(database.now() - Date.now())).toBeLessThan(2000)
})

it('asks at once when nothing is under way', async () => {
  const before = database.lookups.queries
  await idOf('a')
  await idOf('b')
  expect(database.lookups.queries - before).toBe(2)
})

it('K10: whoever comes while a query is under way shares the next one, and never joins the one that was sent', async () => {
  await idOf('a')
  const before = database.lookups.queries
  const letGo = await hold()
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

it('K10: no answer within a second is 503, for those under way and those in line, and it recovers by itself', async () => {
  await idOf('a')
  const letGo = await hold()
  const askedAt = performance.now()
  const answers = await Promise.allSettled([idOf('a'), idOf('b'), idOf('c')])
  const took = performance.now() - askedAt
  for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } })
  expect(took).toBeGreaterThan(900)
  expect(took).toBeLessThan(2500)
  await letGo()
  expect(await idOf('a')).toBe('id-a')
})

it('sheds load when too many wait, without making them wait', async () => {
  await idOf('a')
  const letGo = await hold()
  const answers = Array.from({ length: 5100 }, () => idOf('a').catch(({ code }) => code))
  const askedAt = performance.now()
  expect(new Set(await Promise.all(answers.slice(5000)))).toEqual(new Set(['UNAVAILABLE']))
  expect(performance.now() - askedAt).toBeLessThan(500) // all others are still in line
  await letGo()
  expect(new Set(await Promise.all(answers.slice(0, 500)))).toEqual(new Set(['id-a']))
  await Promise.all(answers)
})

it('P5: 64 who ask without a pause need at most 0.2 queries a lookup', async ({ annotate }) => {
  const { asked, queries } = { ...database.lookups }
  const client = async () => {
    for (let i = 0; i < 100; i++) expect(await idOf('b')).toBe('id-b')
  }
  await Promise.all(Array.from({ length: 64 }, client))
  const ratio = (database.lookups.queries - queries) / (database.lookups.asked - asked)
  await annotate(`${ratio.toFixed(4)} queries a lookup`)
  expect(ratio).toBeLessThanOrEqual(0.2)
})

it('K10: a server that turns out to be a standby, as behind a pooler it can, is not believed', async () => {
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
