import { sql } from 'kysely'
import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { PATIENT } from '../../test/support/world/waiting.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { MIGRATIONS } from './migrate.ts'
import { upgradeInSteps } from './upgrade.ts'

const it = inOwnWorld(() => startWorld({ timeouts: PATIENT }))

const upgraded = (up: () => string) => [...MIGRATIONS, { name: 'planted', up }]

it('a step that waits for a lock lets others pass, and is tried again until the lock is free', async ({ world }) => {
  const { database } = world
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const reader = database.transaction(
    async (db) => {
      await db.selectFrom('device').select('id').execute() // locks the table until the transaction ends
      held.resolve()
      await letGo.promise
    },
    { noTimeout: true },
  )
  await held.promise
  const upgrade = upgradeInSteps(
    database,
    upgraded(() => 'alter table "device" add column "planted" bigint'),
  )
  for (let i = 0; i < 20; i++) await sql`select 1 from "device"`.execute(database.read)
  letGo.resolve()
  await reader
  expect(await upgrade).toEqual({ applied: ['planted'] })
})

it('a lock that is never free ends the upgrade with a sentence', async ({ world }) => {
  const { database } = world
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const reader = database.transaction(
    async (db) => {
      await db.selectFrom('device').select('id').execute()
      held.resolve()
      await letGo.promise
    },
    { noTimeout: true },
  )
  await held.promise
  const change = upgraded(() => 'alter table "device" add column "planted" bigint')
  await expect(upgradeInSteps(database, change, { patienceMs: 0 })).rejects.toThrow(
    /holds a lock.*continues where it stopped/,
  )
  letGo.resolve()
  await reader
})

it('an index that a killed process has left unfinished is created anew', async ({ world }) => {
  const { database } = world
  const statement = 'create index "plantedIndex" on "auditEvent" ("actorName")'
  await world.organization('Acme', { admin: await world.signUp('Ada') })
  await world.organization('Other', { admin: await world.signUp('Bob') })
  const left = `create unique index concurrently "plantedIndex" on "auditEvent" (("id" is null))` // not unique: it fails
  await expect(sql.raw(left).execute(database.read)).rejects.toThrow('could not create unique index')
  const isValid = sql<{
    isValid: boolean
  }>`select "indisvalid" as "isValid" from pg_index where indexrelid = '"plantedIndex"'::regclass`
  expect((await isValid.execute(database.read)).rows).toEqual([{ isValid: false }])

  await upgradeInSteps(
    database,
    upgraded(() => statement),
  )
  expect((await isValid.execute(database.read)).rows).toEqual([{ isValid: true }])
})
