import { sql } from 'kysely'
import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { readConfig } from '../config.ts'
import { MIGRATIONS } from './migrate.ts'
import type { Migration } from './migration-steps.ts'
import { openDatabase } from './open.ts'
import { upgradeInSteps } from './upgrade.ts'

const it = inOwnWorld(() => startWorld())

const ROWS = 95
const SMALL = { firstRows: 10 }

/** What a later version could do, in every kind of step. A step that runs twice shows. */
const NEXT: Migration[] = [
  {
    name: 'a table, rows that change, and an index',
    up: ({ text, integer, tableOptions }) => [
      `create table "planted" ("id" ${text} primary key, "changes" ${integer} not null) ${tableOptions}`,
      ...Array.from({ length: ROWS }, (_, i) => `insert into "planted" values ('row ${i}', 0)`),
      { table: 'planted', set: '"changes" = "changes" + 1', where: `"id" <> 'row 7'` },
      'create index "plantedByChanges" on "planted" ("changes")',
    ],
  },
  { name: 'a column', up: ({ integer }) => `alter table "planted" add column "more" ${integer} not null default 5` },
]
const ALL = [...MIGRATIONS, ...NEXT]
const NAMES = NEXT.map(({ name }) => name)

async function requireUpgradedOnce({ database }: World): Promise<void> {
  const { rows } = await sql<{
    id: string
    changes: number
  }>`select "id", "changes" from "planted" where "more" = 5`.execute(database.read)
  expect(rows).toHaveLength(ROWS)
  expect(rows.filter(({ id, changes }) => changes !== (id === 'row 7' ? 0 : 1))).toEqual([])
  const versions = database.read
    .selectFrom('migration')
    .select(['version', 'name'])
    .where('version', '>', MIGRATIONS.length)
  expect(await versions.orderBy('version').execute()).toEqual(
    NAMES.map((name, i) => ({ version: MIGRATIONS.length + i + 1, name })),
  )
  await expect(database.read.selectFrom('migrationProgress').selectAll().execute()).rejects.toThrow() // no such table
}

it('an upgrade that is interrupted after each step continues where it stopped, and runs no step twice', async ({
  world,
}) => {
  const interrupted = new Error('interrupted')
  for (let attempts = 0; ; attempts++) {
    let reports = 0
    const report = () => {
      if (++reports === 2) throw interrupted
    }
    const ended = await upgradeInSteps(world.database, ALL, { ...SMALL, report }).catch((error: unknown) => error)
    if (ended !== interrupted) {
      expect(attempts).toBeGreaterThan(ROWS)
      break
    }
  }
  await requireUpgradedOnce(world)
})

it('processes that upgrade at the same time share the steps, and none is run twice', async ({ world }) => {
  const config = readConfig(world.storage.env)
  const many = await Promise.all(Array.from({ length: 3 }, () => openDatabase(config)))
  const ended = await Promise.all(many.map((database) => upgradeInSteps(database, ALL, SMALL)))
  await Promise.all(many.map((database) => database.close()))

  expect(ended.flatMap(({ applied }) => applied).sort()).toEqual([...NAMES].sort())
  await requireUpgradedOnce(world)
})

it('a process that begins after another one has upgraded leaves no trace', async ({ world }) => {
  await upgradeInSteps(world.database, ALL, SMALL)
  expect(await upgradeInSteps(world.database, ALL, SMALL)).toEqual({ applied: [] })
  await requireUpgradedOnce(world)
})
