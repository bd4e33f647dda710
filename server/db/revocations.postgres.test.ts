import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'
import type { Transaction } from './transaction.ts'

const it = inOwnWorld(() => startWorld())

const record = async (db: Transaction, subject: string) =>
  db.recordRevocations([{ kind: 'KEY', organizationId: '', subject, endsAt: 0 }])

it('C11: the order of the sequence is the order of commits, whichever transaction has begun first', async ({
  world,
}) => {
  const { database } = world
  const [begun, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = database.transaction(async (db) => {
    await record(db, 'slow')
    begun.resolve()
    await mayCommit.promise
  })
  await begun.promise
  await database.transaction((db) => record(db, 'fast'))
  const { sequence } = await database.read.selectFrom('revocationState').select('sequence').executeTakeFirstOrThrow()
  mayCommit.resolve()
  await slow
  const rows = await database.read
    .selectFrom('revocation')
    .select(['subject', 'sequence'])
    .where('kind', '=', 'KEY')
    .orderBy('sequence')
    .execute()
  expect(rows).toEqual([
    { subject: 'fast', sequence },
    { subject: 'slow', sequence: sequence + 1 },
  ])
})
