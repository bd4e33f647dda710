import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it as plain, vi } from 'vitest'
import { askOnce } from '../../test/support/postgres/postgres-sql.ts'
import { launch, runPortal } from '../../test/support/process/portal-process.ts'
import { PORTAL_PROGRAM } from '../../test/support/process/portal-program.ts'
import { addManyEvents } from '../../test/support/world/many-events.ts'
import { newStorage } from '../../test/support/world/storage.ts'

const MANY = 100_000

const it = plain
  .extend('storage', () => newStorage())
  .extend('folder', ({ storage }, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'portal-'))
    onCleanup(async () => {
      rmSync(folder, { recursive: true, force: true })
      await storage.remove()
    })
    return folder
  })

it('a restore that is killed leaves PostgreSQL as it was, and can be repeated', async ({ storage, folder }) => {
  const file = join(folder, 'portal.backup')
  const sqlite = { DATA_DIR: join(folder, 'data') }
  expect(await runPortal(['org', 'create', 'Acme'], { env: sqlite })).toMatchObject({ code: 0 })
  addManyEvents(join(folder, 'data', 'portal.db'), MANY)
  expect(await runPortal(['backup', file], { env: sqlite })).toMatchObject({ code: 0 })
  const env = { ...storage.env, DATA_DIR: folder, LEDGER: '' }
  expect(await runPortal(['org', 'create', 'Before'], { env })).toMatchObject({ code: 0 })

  const ask = askOnce(storage.env['DATABASE_URL'] ?? '')
  const copying = async () => {
    const found = await ask(
      (sql) =>
        sql`select 1 from pg_stat_activity where "datname" = current_database() and "query" like 'copy "auditEvent"%'`,
    )
    return found.length > 0
  }
  const restore = ['restore', file, '--replace', '--yes']
  const child = launch([PORTAL_PROGRAM, ...restore], env)
  await vi.waitUntil(copying, { timeout: 30_000, interval: 5 })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  await vi.waitUntil(async () => !(await copying()), { timeout: 30_000, interval: 20 }) // the server has noticed
  const { stdout } = await runPortal(['org', 'list', '--json'], { env })
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'Before' }])

  expect(await runPortal(restore, { env })).toMatchObject({ code: 0, stderr: expect.not.stringContaining('    at ') })
  const restored = await runPortal(['org', 'list', '--json'], { env })
  expect(JSON.parse(restored.stdout)).toMatchObject([{ name: 'Acme' }])
})
