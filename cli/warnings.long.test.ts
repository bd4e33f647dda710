import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it as plain } from 'vitest'
import { temporaryFolder } from '../test/support/process/portal-process.ts'
import { runInProcess } from '../test/support/world/command-line.ts'

/** A portal with a revoked key, and a copy of its database from before. */
const it = plain.extend('portal', async () => {
  const folder = temporaryFolder()
  const run = (args: string[], env: Record<string, string> = {}) =>
    runInProcess(args, { env: { DATA_DIR: folder, ...env } })
  await run(['org', 'create', 'Acme'])
  await run(['org', 'api-keys', 'on', 'acme'])
  const { id } = JSON.parse((await run(['key', 'generate', '--org', 'acme', '--json'])).stdout)
  const [database, backup] = [join(folder, 'portal.db'), join(folder, 'backup.db')]
  copyFileSync(database, backup)
  expect(await run(['key', 'revoke', id, '--yes'])).toMatchObject({ code: 0, stderr: '' })
  return { folder, run, restore: () => copyFileSync(backup, database) }
})

it('C11: the first command after a restore says what was ended again', async ({ portal }) => {
  portal.restore()
  const { stdout, stderr } = await portal.run(['key', 'list', '--org', 'acme'])
  expect(stderr).toMatch(/^The database was restored; ended again: keys 1, memberships 0, .+\.\n$/)
  expect(stdout).not.toContain('emp_')
  expect(await portal.run(['key', 'list', '--org', 'acme'])).toMatchObject({ stderr: '' })
  portal.restore()
  const asJson = await portal.run(['key', 'list', '--org', 'acme', '--json'])
  expect(JSON.parse(asJson.stderr)).toEqual({ warning: expect.stringMatching(/^The database was restored/) })
})

it('C11: a command without the LEDGER of its portal says that it has begun another one', async ({ portal }) => {
  const { stderr } = await portal.run(['org', 'list'], { LEDGER: join(portal.folder, 'other.db') })
  expect(stderr).toMatch(/^The ledger is new, and is filled from the database: check LEDGER if there is another\.\n$/)
})
