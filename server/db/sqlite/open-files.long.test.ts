import { copyFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { backup as copyInto, DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/support/process/portal-process.ts'
import { WAYS_TO_REPLACE } from '../../../test/support/world/replaced-files.ts'
import { OperatorError } from '../../lib/app-error.ts'
import { lookup } from '../lookup.ts'
import { migrate } from '../migrate.ts'
import { openSqlite } from './database.ts'

const NEVER = 2 ** 30
const UNAVAILABLE = { code: 'UNAVAILABLE', message: expect.stringMatching(/^The database was replaced/) }

type Options = Parameters<typeof openSqlite>[1]

/** A database that has outgrown its backup. */
async function openGrown(options: Options = {}) {
  const parent = temporaryFolder()
  const [folder, backup] = [join(parent, 'data'), join(parent, 'backup.db')]
  mkdirSync(folder)
  const path = join(folder, 'portal.db')
  const empty = openSqlite(folder)
  await migrate(empty)
  await empty.close()
  copyFileSync(path, backup)
  const database = openSqlite(folder, options)
  onTestFinished(() => database.close())
  const write = (version: number, size = 1) =>
    database.transaction((db) =>
      db
        .insertInto('migration')
        .values({ version, name: 'x'.repeat(size), appliedAt: 0 })
        .execute(),
    )
  await write(900, 100_000)
  await checkpoint(path)
  await database.ping() // it has looked at the files since
  return { database, folder, path, backup, write }
}

/** By another connection, as a command would. */
async function checkpoint(path: string): Promise<void> {
  const other = new DatabaseSync(path, { timeout: 5000 })
  other.exec('pragma wal_checkpoint(truncate)')
  other.close()
}

const byName = lookup({ name: 'text' }, (db, { name }) =>
  db.selectFrom('migration').select('version').where('name', '=', name),
)

describe('C11: a write into files that are no longer those of the database is not answered', () => {
  it.each(Object.entries(WAYS_TO_REPLACE))('%s', async (_way, replace) => {
    const lost: Error[] = []
    const { database, folder, backup, write } = await openGrown({
      checkFilesEveryMs: NEVER,
      onLost: (error) => lost.push(error),
    })
    replace(folder, backup)
    await expect(write(901)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(database.ping()).rejects.toMatchObject(UNAVAILABLE)
    expect(lost).toEqual([expect.any(OperatorError)])
    expect(lost[0]?.message).toMatch(/^The database .*portal\.db was replaced, .*: start the portal again\.$/)
  })
})

describe('C11: it is noticed without a write', () => {
  it.each(Object.entries(WAYS_TO_REPLACE))('%s', async (_way, replace) => {
    const { promise: lost, resolve } = Promise.withResolvers<Error>()
    const { database, folder, backup } = await openGrown({ checkFilesEveryMs: 1, onLost: resolve })
    replace(folder, backup)
    await lost
    await expect(async () => database.lookUp(byName, { name: 'x' })).rejects.toMatchObject(UNAVAILABLE)
  })
})

it('C11: everything is unavailable from then on, even if the files come back', async () => {
  const { database, path, write } = await openGrown({ checkFilesEveryMs: NEVER })
  const requests = [
    async () => database.lookUp(byName, { name: 'x' }),
    () => database.read.selectFrom('migration').selectAll().execute(),
    () => database.readFor('o-1').selectFrom('migration').selectAll().execute(),
    () => database.heavyRead({ organizationId: 'o-1' }).selectFrom('migration').selectAll().execute(),
    () => write(902),
    () => database.transaction(async () => 'nothing', { moreFollows: true }),
    () => database.ping(),
  ]
  renameSync(path, `${path}.moved`)
  await expect(database.ping()).rejects.toMatchObject(UNAVAILABLE)
  renameSync(`${path}.moved`, path)
  for (const request of requests) await expect(request()).rejects.toMatchObject(UNAVAILABLE)
})

it('C11: a heavy read does not answer from files that this process has not opened before', async () => {
  const { database, folder, backup } = await openGrown({ checkFilesEveryMs: NEVER })
  WAYS_TO_REPLACE['all its files are removed, and a backup is copied']?.(folder, backup)
  const read = database.heavyRead({ organizationId: 'o-1' }).selectFrom('migration').selectAll().execute()
  await expect(read).rejects.toMatchObject(UNAVAILABLE)
})

it('C11: a process that opens other files is refused until the process on the previous ones has noticed', async () => {
  const { database, folder, path, backup } = await openGrown({ checkFilesEveryMs: NEVER })
  for (const name of ['portal.db', 'portal.db-wal', 'portal.db-shm']) rmSync(join(folder, name))
  const missing = () => openSqlite(folder)
  expect(missing).toThrow(/was replaced while a portal or a command is running on the previous one: stop that one/)
  copyFileSync(backup, path)
  expect(() => openSqlite(folder)).toThrow(OperatorError)

  await expect(database.ping()).rejects.toMatchObject(UNAVAILABLE)
  const next = openSqlite(folder)
  await next.ping()
  await next.close()
})

it('is not mistaken: writes and checkpoints of several connections, of which one is closed', async () => {
  const { database, folder, path, write } = await openGrown({ checkFilesEveryMs: 1 })
  const other = openSqlite(folder)
  for (let version = 910; version < 930; version++) {
    await write(version, 50_000)
    await other.transaction((db) => sql`delete from "migration" where "version" = ${version}`.execute(db))
    if (version % 5 === 0) await checkpoint(path)
  }
  await other.close()
  await write(930)
  await database.ping()
})

it.each([1, 200_000])(
  'C11: nor is it by a shorter database that SQLite itself writes into the file, and %i bytes written next',
  async (bytes) => {
    const { database, path, backup, write } = await openGrown({ checkFilesEveryMs: NEVER })
    const { size } = statSync(path)
    const source = new DatabaseSync(backup)
    await copyInto(source, path)
    source.close()
    await database.ping() // it looks at the files ten times a second
    await checkpoint(path)
    expect(statSync(path).size).toBeLessThan(size)
    await write(901, bytes)
    await database.ping()
  },
)
