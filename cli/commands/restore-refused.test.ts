import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it as plain } from 'vitest'
import { temporaryFolder } from '../../test/support/process/portal-process.ts'
import { runInProcess } from '../../test/support/world/command-line.ts'

/** A backup, and a folder for another database. */
const it = plain.extend('target', async () => {
  const [from, to] = [temporaryFolder(), temporaryFolder()]
  const backup = join(from, 'portal.backup')
  await runInProcess(['org', 'create', 'Acme'], { env: { DATA_DIR: from } })
  expect(await runInProcess(['backup', backup], { env: { DATA_DIR: from } })).toMatchObject({ code: 0 })
  const run = (...args: string[]) => runInProcess(args, { env: { DATA_DIR: to } })
  return { folder: to, file: join(to, 'portal.db'), run, restore: () => run('restore', backup, '--replace', '--yes') }
})

it('a database that is damaged, or that of another program, is not replaced, and the sentence says what to do', async ({
  target,
}) => {
  const again = ': move it away, with the files beside it whose names begin like it, and restore again\\.\\n$'
  writeFileSync(target.file, Buffer.alloc(10_000, 7))
  const damaged = expect.stringMatching(new RegExp(`^The database .+ is damaged or is not a database${again}`))
  expect(await target.restore()).toEqual({ code: 1, stdout: '', stderr: damaged })

  writeFileSync(target.file, '')
  const other = new DatabaseSync(target.file)
  other.exec('create table "notes" ("id" integer)')
  other.close()
  const before = readFileSync(target.file)
  const foreign = expect.stringMatching(new RegExp(`^The database .+ is that of another program${again}`))
  expect(await target.restore()).toEqual({ code: 1, stdout: '', stderr: foreign })
  expect(readFileSync(target.file).equals(before)).toBe(true)
})

it('a database behind a symbolic link is replaced where it is', async ({ target }) => {
  await target.run('org', 'create', 'Before')
  const elsewhere = join(target.folder, 'volume')
  mkdirSync(elsewhere)
  renameSync(target.file, join(elsewhere, 'real.db'))
  symlinkSync(join(elsewhere, 'real.db'), target.file)
  expect(await target.restore()).toMatchObject({ code: 0 })
  const { stdout } = await target.run('org', 'list', '--json')
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'Acme' }])
  expect(readFileSync(join(elsewhere, 'real.db')).includes('Acme')).toBe(true)
})
