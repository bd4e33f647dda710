import { readdirSync } from 'node:fs'
import { expect, it as plain } from 'vitest'
import { temporaryFolder } from '../../test/support/process/portal-process.ts'
import { newStorage } from '../../test/support/world/storage.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'

/** Two databases that are used from one folder, without `LEDGER`. */
const it = plain
  .extend('storages', () => Promise.all([newStorage(), newStorage()]))
  .extend('portal', ({ storages }, { onCleanup }) => {
    const folder = temporaryFolder()
    onCleanup(async () => {
      for (const storage of storages) await storage.remove()
    })
    const start = (which: 0 | 1) => {
      const { env, ...storage } = storages[which]
      const { LEDGER: _ledger, ...others } = env
      return startWorld({ beside: { storage: { ...storage, env: { ...others, DATA_DIR: folder } } } })
    }
    return { start, ledgers: () => readdirSync(folder).filter((name) => name.endsWith('.db')) }
  })

it('each of two databases that are used from one folder has a ledger of its own, and finds it again', async ({
  portal,
}) => {
  for (const [which, name] of [
    [0, 'Ada'],
    [1, 'Ada'],
    [0, 'Bob'],
    [1, 'Bob'],
  ] as const) {
    const world = await portal.start(which)
    await world.signUp(name)
    await world.close()
  }
  expect(portal.ledgers().sort()).toEqual([expect.stringMatching(/^revoked-\w{26}\.db$/), 'revoked.db'])
})

it('a database from before there were ledgers does not take that of another one', async ({ portal }) => {
  const first = await portal.start(0)
  const acme = await first.organization('Acme', { admin: await first.signUp('Ada') })
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', { id: (await acme.generateKey()).id })
  const other = await portal.start(1)
  const bolt = await other.organization('Bolt', { admin: await other.signUp('Bob') })
  const key = await bolt.generateKey()
  await forgetLedger(other)
  await other.close()

  const upgraded = await portal.start(1)
  expect(await upgraded.accepts(key.secret)).toBe(true)
  expect(portal.ledgers()).toHaveLength(3) // one of them was forgotten
  await upgraded.close()
  await first.close()
})

/** As in a database that was migrated just now. */
const forgetLedger = ({ database }: World) =>
  database.transaction(async (db) => {
    await db.deleteFrom('revocation').execute()
    await db.updateTable('revocationState').set({ installation: '', incarnation: 0, sequence: 0, server: '' }).execute()
  })
