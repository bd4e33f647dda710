import { expect, it, onTestFinished } from 'vitest'
import { LOOPBACK } from '../../../test/support/called-from.ts'
import { PATIENT } from '../../../test/support/waiting.ts'
import { startWorld } from '../../../test/support/world.ts'
import { type Ctx, inTransaction } from '../../ctx.ts'
import { verifyKey } from '../../verify-key.ts'

it('K10: a stopped writer is disconnected by the server, and its key can be revoked', async () => {
  const patient = await startWorld({ timeouts: PATIENT })
  const stopping = await startWorld({ beside: patient, timeouts: { ...PATIENT, idleInTransactionMs: 100 } })
  onTestFinished(async () => {
    await stopping.close()
    await patient.close()
  })
  const ada = await patient.signUp('Ada')
  const acme = await patient.organization('Acme', { admin: ada })
  const key = await patient.generateKey(ada, acme)
  const { database, clock } = stopping
  const found = await verifyKey(database, key.secret, LOOPBACK)
  if (found.outcome !== 'accepted') throw new Error(found.outcome)
  const ctx: Ctx = { caller: found.caller, db: database.read, database, now: clock.now }

  const [entered, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const writing = inTransaction(ctx, async ({ db }) => {
    entered.resolve()
    await goOn.promise
    await db.updateTable('device').set({ description: 'late' }).where('id', '=', 'nothing').execute()
  })
  await entered.promise
  const revoked = await ada.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id }, acme.slug)
  goOn.resolve()

  expect(revoked).toMatchObject({ data: { revokeApiKey: { ids: [key.id] } }, errors: [] })
  await expect(writing).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
