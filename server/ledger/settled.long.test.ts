import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { codesOf } from '../../test/support/world/people.ts'
import { newRestorableStorage } from '../../test/support/world/restorable-storage.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { revokeApiKey } from '../api-keys/revoke.ts'
import { openDatabase } from '../db/open.ts'
import { LedgerFile } from './ledger-file.ts'

const it = inOwnWorld(async () => {
  const storage = await newRestorableStorage()
  const world = await startWorld({ beside: { storage }, compareEveryMs: 1e6 })
  const close = async () => {
    await world.close()
    await storage.remove()
  }
  return { ...world, storage, close }
})

it.for([
  ['revokeApiKey', 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'],
  ['revokeApiKeys', 'mutation ($id: ID!) { revokeApiKeys(input: { ids: [$id] }) { ids } }'],
] as const)(
  'K9, C11: %s answers NOT_FOUND only once the revoke of another process is in the ledger',
  async ([_name, query], { world, acme }) => {
    const { id } = await acme.generateKey()
    const killed = await openDatabase(world.config) // as a process that is killed before it writes to the ledger
    const caller = { kind: 'SYSTEM', organizationId: acme.id, role: 'ADMIN' } as const
    await revokeApiKey({ caller, reads: killed.read, database: killed, now: world.clock.now }, id)
    await killed.close()

    expect(codesOf(await acme.call(query, { id }))).toEqual(['NOT_FOUND'])
    const file = new LedgerFile(world.storage.ledger)
    const { sequence } = await world.database.read
      .selectFrom('revocationState')
      .select('sequence')
      .executeTakeFirstOrThrow()
    expect(file.head()?.sequence).toBe(sequence)
    file.close()
  },
)
