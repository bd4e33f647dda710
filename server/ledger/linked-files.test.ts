import { chownSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it as plain } from 'vitest'
import { temporaryFolder } from '../../test/support/process/portal-process.ts'
import { newMigratedStorage } from '../../test/support/world/storage.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = plain.extend('storage', async () => {
  const storage = await newMigratedStorage()
  return { ...storage, folder: storage.env['DATA_DIR'] ?? '', start: () => startWorld({ beside: { storage } }) }
})

it.for(['portal.db', 'revoked.db'])('%s may be a symbolic link to another volume', async (name, { storage }) => {
  const target = join(temporaryFolder(), name)
  renameSync(join(storage.folder, name), target)
  symlinkSync(target, join(storage.folder, name))
  const world = await storage.start()
  const acme = await world.organization('Acme', { admin: await world.signUp('Ada') })
  const { id, secret } = await acme.generateKey()
  const { data } = await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', { id })
  expect(data).toEqual({ revokeApiKey: { durable: true } })
  expect(await world.accepts(secret)).toBe(false)
  await world.close()
  const again = await storage.start()
  expect(await again.accepts(secret)).toBe(false)
  await again.close()
})

it.runIf(process.getuid?.() === 0)(
  'a ledger that root makes belongs to the owner of its folder',
  async ({ storage }) => {
    const [NOBODY, ledger] = [65534, join(storage.folder, 'revoked.db')]
    rmSync(ledger)
    chownSync(storage.folder, NOBODY, NOBODY)
    await (await storage.start()).close()
    expect(statSync(ledger).uid).toBe(NOBODY)
  },
)
