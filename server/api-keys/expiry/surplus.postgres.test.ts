import { expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { insertExpiredKeys } from '../../../test/support/world/inserted-keys.ts'
import { startWorld } from '../../../test/support/world/world.ts'
import { LIMITS } from '../../config/limits.ts'
import { forUpdate } from '../../db/locks.ts'

const it = inWorld(startWorld)

it('making room for a key does not wait for an expired key that another transaction has locked', async ({ world }) => {
  const ada = await world.signUp('Ada')
  const acme = await world.organization('Acme', { admin: ada })
  await insertExpiredKeys(world, acme.id, LIMITS.stored_keys)
  await world.database.transaction(async (db) => {
    await forUpdate(db, db.selectFrom('apiKey').select('id').where('label', '=', 'k0')).execute()
    await acme.generateKey({ label: 'one more' })
  })
  const labels = await world.database.read.selectFrom('apiKey').select('label').orderBy('id').limit(2).execute()
  expect(labels).toEqual([{ label: 'k0' }, { label: 'k2' }]) // the next one went instead
})
