import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../server/db/migrate.ts'
import { temporaryFolder } from '../test/support/process/portal-process.ts'
import { canMount, smallDisk } from '../test/support/process/small-disk.ts'
import { runInProcess } from '../test/support/world/command-line.ts'
import { leaveOlderDatabase, lookInto, PREVIOUS_VERSION } from '../test/support/world/older-database.ts'

const COMMANDS = [
  ['org', 'list'],
  ['org', 'create', 'Other'],
  ['key', 'list', '--org', 'acme'],
  ['key', 'generate', '--org', 'acme'],
  ['key', 'prune', '--unused-for', '90d', '--yes'],
  ['user', 'invite', 'ada@example.com', '--org', 'acme'],
  ['restore', 'accept', '--keep-all', '--yes'],
]

const inFolder = (folder: string) => (args: string[]) => runInProcess(args, { env: { DATA_DIR: folder } })
const copiesIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('portal-before'))

describe('on a database that is older than the program', () => {
  it('every command but migrate and serve refuses, says what to do, and changes nothing', async () => {
    const folder = temporaryFolder()
    await leaveOlderDatabase(folder)
    for (const args of COMMANDS) {
      const ran = await inFolder(folder)(args)
      expect(ran, args.join(' ')).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toMatch(
        /^The database is older than this program .*nothing was changed.* portal migrate .*\.\n$/,
      )
    }
    expect(lookInto(join(folder, 'portal.db'))).toEqual({ version: PREVIOUS_VERSION, isSound: true })
    expect(copiesIn(folder)).toEqual([])
  })

  it('migrate --check says so with exit code 1 and changes nothing; migrate upgrades; then the exit code is 0', async () => {
    const folder = temporaryFolder()
    await leaveOlderDatabase(folder)
    const run = inFolder(folder)
    const latest = MIGRATIONS.length
    const pending = MIGRATIONS.slice(PREVIOUS_VERSION).map(({ name }) => name)

    const before = await run(['migrate', '--check', '--json'])
    expect([before.code, JSON.parse(before.stdout), before.stderr]).toEqual([
      1,
      { version: PREVIOUS_VERSION, latest, upToDate: false, pending },
      '',
    ])
    expect((await run(['migrate', '--check'])).stdout).toContain(`version ${PREVIOUS_VERSION} of ${latest}`)
    expect(lookInto(join(folder, 'portal.db')).version).toBe(PREVIOUS_VERSION)

    const upgraded = await run(['migrate', '--json'])
    expect(JSON.parse(upgraded.stdout)).toMatchObject({ applied: pending })
    expect(upgraded.stderr).toContain(`Upgrading to version ${PREVIOUS_VERSION + 1}`)
    expect(await run(['migrate', '--check', '--json'])).toMatchObject({ code: 0, stderr: '' })
    expect((await run(['org', 'list'])).stdout).toContain('acme')
  })

  it('migrate --check creates no database where there is none', async () => {
    const folder = join(temporaryFolder(), 'none')
    const ran = await inFolder(folder)(['migrate', '--check', '--json'])
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([1, { version: 0, upToDate: false }])
    expect(() => statSync(folder)).toThrow('ENOENT')
  })
})

describe('the copy of SQLite that is made before an upgrade', () => {
  it('is the database as it was, for its owner only; the latest two are kept', async () => {
    const folder = temporaryFolder()
    await leaveOlderDatabase(folder)
    const earlier = ['portal-before-0003.db', 'portal-before-0009.db', 'portal-before-0010.db']
    for (const name of earlier) new DatabaseSync(join(folder, name)).close()

    const { stdout } = await inFolder(folder)(['migrate', '--json'])
    const { copy } = JSON.parse(stdout)
    expect(copy).toBe(join(folder, `portal-before-00${PREVIOUS_VERSION + 1}.db`))
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(copiesIn(folder)).toEqual(['portal-before-0010.db', 'portal-before-0012.db'])
    expect(lookInto(copy)).toEqual({ version: PREVIOUS_VERSION, isSound: true })
    expect(lookInto(join(folder, 'portal.db')).version).toBe(MIGRATIONS.length)
  })

  it('stays when the others are of later versions: an older database was put in their place', async () => {
    const folder = temporaryFolder()
    await leaveOlderDatabase(folder)
    for (const name of ['portal-before-0020.db', 'portal-before-0022.db']) writeFileSync(join(folder, name), '')
    expect(JSON.parse((await inFolder(folder)(['migrate', '--json'])).stdout).copy).toMatch(/before-0012\.db$/)
    expect(copiesIn(folder)).toEqual(['portal-before-0012.db', 'portal-before-0022.db'])
  })

  it('is not replaced when an upgrade that was interrupted continues', async () => {
    const folder = temporaryFolder()
    await leaveOlderDatabase(folder)
    const plain = new DatabaseSync(join(folder, 'portal.db'))
    plain.exec(`create table "migrationProgress" ("version" integer primary key, "step" integer not null, "after" text not null) strict;
      insert into "migrationProgress" values (${PREVIOUS_VERSION}, 0, '')`)
    plain.close()

    const { stdout } = await inFolder(folder)(['migrate', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      applied: MIGRATIONS.slice(PREVIOUS_VERSION).map(({ name }) => name),
      copy: null,
    })
    expect(copiesIn(folder)).toEqual([])
  })

  it.runIf(canMount)(
    'needs room on the disk: without it nothing is changed, and a sentence says how much',
    async () => {
      const { folder } = smallDisk(12 * 1024)
      await leaveOlderDatabase(folder)
      const ran = await inFolder(folder)(['migrate'])
      expect([ran.code, ran.stderr]).toEqual([
        1,
        expect.stringMatching(
          /The database was not upgraded: .* needs \d+ MiB in .*, and \d+ MiB are free\. Make room, or .*--no-backup\.\n$/,
        ),
      ])
      expect(lookInto(join(folder, 'portal.db')).version).toBe(PREVIOUS_VERSION)
      expect(copiesIn(folder)).toEqual([])
      expect(await inFolder(folder)(['migrate', '--no-backup'])).toMatchObject({ code: 0 })
    },
  )

  it('is not made with --no-backup, nor for a new database, nor where nothing is pending', async () => {
    const folder = temporaryFolder()
    await leaveOlderDatabase(folder)
    for (const args of [['migrate', '--no-backup'], ['migrate']]) await inFolder(folder)(args)
    expect(copiesIn(folder)).toEqual([])
    const empty = temporaryFolder()
    await inFolder(empty)(['migrate'])
    expect(copiesIn(empty)).toEqual([])
  })
})

it('on a database that is newer than the program every command refuses, and changes nothing', async () => {
  const folder = temporaryFolder()
  await inFolder(folder)(['migrate'])
  const plain = new DatabaseSync(join(folder, 'portal.db'))
  plain.exec(`insert into "migration" values (999, 'of a later version', 0)`)
  plain.close()
  for (const args of [...COMMANDS, ['migrate'], ['migrate', '--check']]) {
    const ran = await inFolder(folder)(args)
    expect(ran, args.join(' ')).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^The database is newer than this program \(version 999.*start the newer program.*\.\n$/)
  }
})
