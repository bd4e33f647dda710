import { expect, it as plain } from 'vitest'
import { newRestorableStorage } from '../../test/support/world/restorable-storage.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = plain
  .extend('storage', () => newRestorableStorage())
  .extend('removed', { auto: true }, ({ storage }, { onCleanup }) => onCleanup(storage.remove))

it('C11: a copy of the database does not use the ledger of the original, which goes on undisturbed', async ({
  storage,
}) => {
  const first = await startWorld({ beside: { storage } })
  await first.close()
  await storage.backUp()
  const portal = await startWorld({ beside: { storage } })
  const ada = await portal.signUp('Ada')
  const acme = await portal.organization('Acme', { admin: ada })
  const { id, secret } = await acme.generateKey()
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', { id })

  const startCopy = () => startWorld({ beside: { storage: { ...storage, env: storage.ofBackup } } })
  await expect(startCopy()).rejects.toThrow(
    `The ledger ${storage.ledger} is in use by a portal on another database, of which this one is a copy: set LEDGER,`,
  )
  expect((await ada.call('{ viewer { role } }')).status).toBe(200)
  await portal.close()

  const moved = await startCopy() // it takes the place of the other one, which has ended
  expect(await moved.accepts(secret)).toBe(false)
  await moved.close()
})
