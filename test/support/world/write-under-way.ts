import { type Ctx, inTransaction } from '../../../server/caller/ctx.ts'
import { verifyKey } from '../../../server/caller/verify-key.ts'
import { LOOPBACK } from './called-from.ts'
import type { TestKey, World } from './world.ts'

/** A write by the key, which has been judged and stands still until it is told to go on. */
export async function writeUnderWay({ database, clock }: World, key: TestKey) {
  const found = await verifyKey(database, key.secret, LOOPBACK)
  if (found.outcome !== 'accepted') throw new Error(found.outcome)
  const ctx: Ctx = { caller: found.caller, reads: database.read, database, now: clock.now }
  const [entered, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = inTransaction(ctx, async ({ db }) => {
    entered.resolve()
    await goOn.promise
    await db.updateTable('device').set({ description: 'late' }).where('id', '=', 'nothing').execute()
  })
  await entered.promise
  return { done, goOn: () => goOn.resolve() }
}
