import { expect, onTestFinished } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { PATIENT } from '../../../test/support/world/waiting.ts'
import { startWorld } from '../../../test/support/world/world.ts'
import { writeUnderWay } from '../../../test/support/world/write-under-way.ts'

const it = inWorld(() => startWorld({ timeouts: PATIENT }))

it('K10: a stopped writer is disconnected by the server, and its key can be revoked', async ({ world, acme, key }) => {
  const stopping = await startWorld({ beside: world, timeouts: { ...PATIENT, idleInTransactionMs: 100 } })
  onTestFinished(stopping.close)
  const write = await writeUnderWay(stopping, key)
  const revoked = await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })
  write.goOn()

  expect(revoked).toMatchObject({ data: { revokeApiKey: { ids: [key.id] } }, errors: [] })
  await expect(write.done).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
