import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../test/support/process/portal-process.ts'
import { runInProcess } from '../test/support/world/command-line.ts'

/** Stays in the write-ahead log while others have the database open. */
function writeToLog(path: string): void {
  const other = new DatabaseSync(path)
  other.exec('create table "late" ("content" text)')
  other.close()
}

it('C11: a command whose database is replaced while it asks does not say that it revoked the key, and its log is not applied', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'portal.db')
  const run = (args: string[], options: Parameters<typeof runInProcess>[1] = {}) =>
    runInProcess(args, { env: { DATA_DIR: folder }, ...options })
  expect(await run(['org', 'create', 'Acme'])).toMatchObject({ code: 0 })
  expect(await run(['org', 'api-keys', 'on', 'acme'])).toMatchObject({ code: 0 })
  const { stdout } = await run(['key', 'generate', '--org', 'acme', '--json'])
  const { id } = JSON.parse(stdout)

  copyFileSync(path, `${path}.backup`)
  const answered = await run(['key', 'revoke', id], {
    typing: async function* () {
      writeToLog(path)
      renameSync(`${path}.backup`, path)
      yield 'yes\n'
    },
  })
  expect(answered).toMatchObject({ code: 1, stdout: '' })
  expect(answered.stderr).toMatch(/\nThe database was replaced, removed or truncated in the meantime, .+\.\n$/)

  const refused = await run(['key', 'list', '--org', 'acme'])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(
    / was replaced but not the files beside it: remove portal\.db-wal and portal\.db-shm, /,
  )
  for (const name of ['portal.db-wal', 'portal.db-shm']) rmSync(join(folder, name))
  expect((await run(['key', 'list', '--org', 'acme'])).stdout).toContain(id)
})
