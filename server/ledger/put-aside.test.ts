import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newRestorableStorage } from '../../test/support/world/restorable-storage.ts'
import { startWorld } from '../../test/support/world/world.ts'

/** As a restore that is killed after it has put one ledger aside, and before it has put the other in its place. */
it('C11: a ledger that was put aside is used again where there is none: what it has stays revoked', async () => {
  const storage = await newRestorableStorage()
  const first = await startWorld({ beside: { storage } })
  const acme = await first.organization('Acme', { admin: await first.signUp('Ada') })
  const { id, secret } = await acme.generateKey()
  await first.close()
  await storage.backUp()
  const second = await startWorld({ beside: { storage } })
  await second.asKey(secret).call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id })
  const { installation } = await second.database.read
    .selectFrom('revocationState')
    .select('installation')
    .executeTakeFirstOrThrow()
  await second.close()
  await storage.restore()
  const aside = join(second.config.dataDir, `revoked-${installation}.db`)
  renameSync(storage.ledger, aside)

  const again = await startWorld({ beside: { storage } })
  const { errors } = await again.asKey(secret).call('{ devices { data { id } } }')
  expect([errors.map(({ code }) => code), existsSync(aside)]).toEqual([['API_KEY_INVALID'], false])
  await again.close()
  await storage.remove()
})
