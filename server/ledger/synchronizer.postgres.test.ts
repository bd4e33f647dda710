import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { newRestorableStorage } from '../../test/support/world/restorable-storage.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { revokeApiKey } from '../api-keys/revoke.ts'
import { openDatabase } from '../db/open.ts'
import { LedgerFile } from './ledger-file.ts'

const it = inOwnWorld(async () => {
  const storage = await newRestorableStorage()
  const world = await startWorld({ beside: { storage }, compareEveryMs: 5 })
  const close = async () => {
    await world.close()
    await storage.remove()
  }
  return { ...world, storage, close }
})

it('C11: the ledger gets the revokes of other processes by itself, also after it was asked for at the same time', async ({
  world,
  acme,
}) => {
  for (let i = 0; i < 100; i++) await world.database.settleRevocations()
  const { id } = await acme.generateKey()
  const killed = await openDatabase(world.config) // as a process that is killed before it writes to the ledger
  const caller = { kind: 'SYSTEM', organizationId: acme.id, role: 'ADMIN' } as const
  await revokeApiKey({ caller, reads: killed.read, database: killed, now: world.clock.now }, id)
  await killed.close()
  const { sequence } = await world.database.read
    .selectFrom('revocationState')
    .select('sequence')
    .executeTakeFirstOrThrow()
  const file = new LedgerFile(world.storage.ledger)
  await expect.poll(() => file.head()?.sequence).toBe(sequence)
  file.close()
})
