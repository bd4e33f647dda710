import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { byKey } from '../../../test/support/world/keyed-calls.ts'
import { PATIENT, untilItWaits } from '../../../test/support/world/waiting.ts'
import { startWorld } from '../../../test/support/world/world.ts'
import { forUpdate } from '../../db/locks.ts'

const ORDER = { 'idempotency-key': 'order-2026-11-18-1' }
const GENERATE = { query: 'mutation { generateApiKey(input: { label: "made" }) { secret } }' }

const it = inOrganization(() => startWorld({ timeouts: PATIENT }))

it('nobody waits for another caller with the same value', async ({ world, ada, acme }) => {
  const beta = await world.organization('Beta', { admin: ada })
  const [ofAcme, ofBeta] = [await acme.generateKey(), await beta.generateKey()].map(({ secret }) =>
    byKey(world, secret),
  )
  const { done } = await world.database.transaction(async (db) => {
    await forUpdate(db, db.selectFrom('organization').select('id').where('id', '=', acme.id)).execute()
    const waiting = await untilItWaits(world, async () => ofAcme?.(GENERATE, ORDER))
    expect((await ofBeta?.(GENERATE, ORDER))?.status).toBe(200)
    return waiting
  })
  expect((await done)?.status).toBe(200)
})
