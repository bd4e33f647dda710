import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { MIGRATIONS } from '../../server/db/migrate.ts'
import { runPortal, startPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { leaveOlderDatabase, lookInto, PREVIOUS_VERSION } from '../support/world/older-database.ts'

it('serve copies a database of an older version, upgrades it, and says so in the log', async () => {
  const folder = temporaryFolder()
  await leaveOlderDatabase(folder)
  const portal = await startPortal(folder)
  expect((await fetch(`${portal.url}/health/ready`)).status).toBe(200)
  expect(portal.stderr()).toContain(`Upgrading to version ${PREVIOUS_VERSION + 1}`)
  await portal.stop()

  expect(lookInto(join(folder, 'portal.db')).version).toBe(MIGRATIONS.length)
  expect(lookInto(join(folder, 'portal-before-0012.db'))).toEqual({ version: PREVIOUS_VERSION, isSound: true })
  expect(existsSync(join(folder, 'portal-before-0012.db.partial'))).toBe(false)
})

it('migrate --check ends with 1 while something is pending, and with 0 afterwards', async () => {
  const folder = temporaryFolder()
  await leaveOlderDatabase(folder)
  const env = { DATA_DIR: folder }
  expect((await runPortal(['migrate', '--check'], { env })).code).toBe(1)
  expect((await runPortal(['migrate'], { env })).code).toBe(0)
  expect((await runPortal(['migrate', '--check'], { env })).code).toBe(0)
})

it('serve refuses a database that is newer than itself, with a sentence', async () => {
  const folder = temporaryFolder()
  const env = { DATA_DIR: folder }
  await runPortal(['migrate'], { env })
  const plain = new DatabaseSync(join(folder, 'portal.db'))
  plain.exec(`insert into "migration" values (999, 'of a later version', 0)`)
  plain.close()
  const { code, stderr } = await runPortal(['serve'], { env: { ...env, PORT: '0' } })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database is newer than this program .*\.\n$/)])
})
