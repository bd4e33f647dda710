import { createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it as plain } from 'vitest'
import { runInProcess } from '../../test/support/world/command-line.ts'
import { bringUpTo, MIGRATIONS } from '../db/migrate.ts'
import { dumpOf } from '../db/sqlite/dump.ts'
import { fillSqlite } from '../db/sqlite/filling.ts'
import { writeBackup } from './write-backup.ts'

const it = plain.extend('folder', async ({ task: _ }, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  onCleanup(() => rmSync(folder, { recursive: true, force: true }))
  return folder
})

const bringTo = (path: string, version: number) =>
  fillSqlite(path, ({ db, columnTypes }) => bringUpTo(db, { columnTypes, now: Date.now }, version))

it('a backup has every table that the portal has, in every version of the database', async ({ folder }) => {
  const path = join(folder, 'portal.db')
  for (let version = 1; version <= MIGRATIONS.length; version++) {
    await bringTo(path, version)
    const database = new DatabaseSync(path)
    const all = database
      .prepare(`select "name" from sqlite_schema where "type" = 'table' and "name" not like 'sqlite_%'`)
      .all()
    const dump = dumpOf(database, path)
    const expected = all.map(({ name }) => String(name)).filter((name) => name !== 'migration')
    expect(dump.tables.map(({ name }) => name).sort(), `version ${version}`).toEqual(expected.sort())
    dump.close()
  }
})

it('a backup of an older version is restored at that version, and then brought up to date', async ({ folder }) => {
  const [old, now, file] = [join(folder, 'old'), join(folder, 'new'), join(folder, 'file')]
  await runInProcess(['migrate'], { env: { DATA_DIR: old } })
  rmSync(join(old, 'portal.db'))
  await bringTo(join(old, 'portal.db'), 7)
  const database = new DatabaseSync(join(old, 'portal.db'))
  database.exec(`insert into "organization" values ('o', 'ORGANIZATION', 'Acme', 'acme', 'acme', 1, 1, null, null)`)
  database.close()

  expect(await runInProcess(['backup', file], { env: { DATA_DIR: old } })).toMatchObject({ code: 0 })
  const same = new DatabaseSync(join(old, 'portal.db'))
  expect(
    same.prepare('select max("version") as "version" from "migration"').get(),
    'a backup does not migrate',
  ).toEqual({ version: 7 })
  same.close()
  expect(await runInProcess(['backup', 'verify', file], { env: {} })).toMatchObject({ code: 0 })
  expect(await runInProcess(['restore', file], { env: { DATA_DIR: now } })).toMatchObject({ code: 0, stderr: '' })
  const { stdout } = await runInProcess(['org', 'list', '--json'], { env: { DATA_DIR: now } })
  expect(JSON.parse(stdout)).toMatchObject([{ slug: 'acme' }])
})

it('neither a database nor a backup of a newer version is touched', async ({ folder }) => {
  const [data, file] = [join(folder, 'data'), join(folder, 'file')]
  await runInProcess(['migrate'], { env: { DATA_DIR: data } })
  await runInProcess(['backup', file], { env: { DATA_DIR: data } })
  const database = new DatabaseSync(join(data, 'portal.db'))
  database.prepare('insert into "migration" values (?, ?, 0)').run(MIGRATIONS.length + 1, 'later')
  database.close()
  const newer = await runInProcess(['backup', join(folder, 'x')], { env: { DATA_DIR: data } })
  expect(newer).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The database is newer than this program/) })

  const scratch = new DatabaseSync(join(folder, 'later.db'))
  await bringTo(join(folder, 'later.db'), MIGRATIONS.length)
  const dump = dumpOf(scratch, 'later.db')
  const about = { createdAt: 0, portal: '9.9.9', database: 999, kind: 'sqlite', installation: '', rows: 0 } as const
  await writeBackup(dump, createWriteStream(join(folder, 'later')), { about })
  dump.close()
  for (const command of [['backup', 'verify'], ['restore']]) {
    const { code, stderr } = await runInProcess([...command, join(folder, 'later')], {
      env: { DATA_DIR: join(folder, 'n') },
    })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /is of a newer version of the portal \(9\.9\.9, database version 999; this one knows \d+\): use that version\.\n$/,
      ),
    })
  }
  expect(existsSync(join(folder, 'n'))).toBe(false)
})
