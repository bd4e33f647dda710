import { expect, it as plain } from 'vitest'
import { askOnce } from '../../../test/support/postgres/postgres-sql.ts'
import { newStorage } from '../../../test/support/world/storage.ts'
import { readConfig } from '../../config.ts'
import { openDatabase, openDump, openRestoreTarget } from '../open.ts'

const MANY = 30_000

const it = plain
  .extend('storage', () => newStorage())
  .extend('config', async ({ storage }, { onCleanup }) => {
    onCleanup(storage.remove)
    await askOnce(storage.env['DATABASE_URL'] ?? '')(
      (sql) => sql`insert into "deletedApiKey" select 'key ' || i from generate_series(1, ${MANY}::int) i`,
    )
    return readConfig(storage.env)
  })

it('a dump is of one moment, and is read to its end however slowly', async ({ storage, config }) => {
  const dump = await openDump(config)
  await askOnce(storage.env['DATABASE_URL'] ?? '')((sql) => sql`delete from "deletedApiKey"`)
  let rows = 0
  for (const table of dump.tables) {
    for await (const block of dump.rowsOf(table)) {
      if (table.name === 'deletedApiKey') rows += block.toString().split('\n').length - 1
      await new Promise((resolve) => setImmediate(resolve)) // slower than the server sends
    }
  }
  expect(rows).toBe(MANY)
  dump.close()
})

it('while a restore has the database, nobody else connects to it; and while somebody does, nothing is restored', async ({
  config,
}) => {
  const target = await openRestoreTarget(config)
  await expect(openDatabase(config)).rejects.toThrow(/^A backup is being restored into this database: wait/)
  await target.close()
  const database = await openDatabase(config)
  await expect(openRestoreTarget(config)).rejects.toThrow(/^A portal or a command is running on the database/)
  await database.close()
  await expect.poll(() => openRestoreTarget(config).then((again) => again.close(), String)).toBeUndefined()
})

it('a restore that fails at any row leaves the database as it was', async ({ storage, config }) => {
  const target = await openRestoreTarget(config)
  const lines = async function* () {
    yield Buffer.from('one\n')
    yield Buffer.from('two\ttoo many\n')
  }
  const columns = [{ name: 'id', type: 'text' }] as const
  const failing = target.replace(async (filling) => {
    const { bringUpTo } = await import('../migrate.ts')
    await bringUpTo(filling.db, { columnTypes: filling.columnTypes, now: Date.now })
    await filling.prepare()
    await filling.fill({ name: 'deletedApiKey', columns }, lines())
  })
  await expect(failing).rejects.toThrow(/extra data/)
  await target.close()
  const [row] = await askOnce(storage.env['DATABASE_URL'] ?? '')(
    (sql) => sql<{ count: string }[]>`select count(*) from "deletedApiKey"`,
  )
  expect(Number(row?.count)).toBe(MANY)
})
