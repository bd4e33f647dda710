import { expect } from 'vitest'
import { fillOldDatabase, isUpgraded } from '../../test/rolling/old-rows.ts'
import { askOnce } from '../../test/support/postgres/postgres-sql.ts'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { newStorage } from '../../test/support/world/storage.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { readConfig } from '../config.ts'
import { bringUpTo, migrate } from './migrate.ts'
import { openDatabase } from './open.ts'

const it = inOwnWorld(() => startWorld())

const ROWS = 3_000
const SECOND_VERSION = 2

/** Every column, index and constraint. */
const schemaOf = (url: string) =>
  askOnce(url)(async (sql) => ({
    columns: await sql`select table_name, column_name, data_type, is_nullable, column_default
      from information_schema.columns where table_schema = 'public' order by 1, 2`,
    indexes: await sql`select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`,
    constraints: await sql`select conrelid::regclass::text as "on", conname, pg_get_constraintdef(oid) as is
      from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`,
  }))

it('a database of the second version is upgraded to the tables of a new one, and each of its rows is changed', async ({
  world,
  onTestFinished,
}) => {
  const old = await newStorage()
  onTestFinished(old.remove)
  const { DATABASE_URL: url = '' } = old.env
  await askOnce(url)((sql) => sql`drop schema public cascade`.then(() => sql`create schema public`))
  const database = await openDatabase(readConfig(old.env))
  await database.transaction((db) => bringUpTo(db, database, SECOND_VERSION))
  await askOnce(url)((sql) => fillOldDatabase(sql, ROWS))

  await migrate(database)
  await database.close()
  expect(await askOnce(url)((sql) => isUpgraded(sql, ROWS))).toBe(true)
  expect(await schemaOf(url)).toEqual(await schemaOf(world.storage.env['DATABASE_URL'] ?? ''))
})
