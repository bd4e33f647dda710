import { join } from 'node:path'
import { expect, it as plain } from 'vitest'
import { dropDatabase, urlOf } from '../../test/support/postgres/postgres-databases.ts'
import { askOnce } from '../../test/support/postgres/postgres-sql.ts'
import { temporaryFolder } from '../../test/support/process/portal-process.ts'
import { runInProcess } from '../../test/support/world/command-line.ts'
import { newStorage } from '../../test/support/world/storage.ts'

/** A backup, and a database of its own that no portal has used. */
const it = plain
  .extend('storage', () => newStorage())
  .extend('target', async ({ storage }, { onCleanup }) => {
    const { DATABASE_URL: url = '' } = storage.env
    const [server, name] = [urlOf(url, 'postgres'), `${new URL(url).pathname.slice(1)}_r`]
    await askOnce(server)((sql) => sql`create database ${sql(name)}`)
    onCleanup(async () => {
      await dropDatabase(server, name)
      await storage.remove()
    })
    const folder = temporaryFolder()
    const file = join(folder, 'portal.backup')
    const env = { DATA_DIR: join(folder, 'data') }
    await runInProcess(['org', 'create', 'Acme'], { env })
    expect(await runInProcess(['backup', file], { env })).toMatchObject({ code: 0 })
    const { PORTAL_SECRET = '' } = storage.env
    const address = urlOf(url, name)
    const restore = (...args: string[]) =>
      runInProcess(['restore', file, ...args], { env: { DATABASE_URL: address, PORTAL_SECRET, DATA_DIR: folder } })
    return { url: address, restore }
  })

it('a restore does not touch the tables of another program', async ({ target }) => {
  const ask = askOnce(target.url)
  await ask((sql) => sql.unsafe('create table "device" ("id" int); insert into "device" values (7)'))
  for (const args of [[], ['--replace', '--yes']]) {
    const stderr = expect.stringMatching(
      /^The database .+ has tables of another program .+ \(device\): create an empty /,
    )
    expect(await target.restore(...args)).toEqual({ code: 1, stdout: '', stderr })
  }
  expect(await ask((sql) => sql`select "id" from "device"`)).toMatchObject([{ id: 7 }])
})

it('a restore is refused while a portal of an older version is connected, which does not lock the database', async ({
  target,
}) => {
  await askOnce(`${target.url}?application_name=portal`)(async (sql) => {
    await sql`select 1`
    const stderr = expect.stringMatching(/^A portal or a command is running on the database /)
    expect(await target.restore()).toEqual({ code: 1, stdout: '', stderr })
  })
  expect(await target.restore()).toMatchObject({ code: 0 })
})
