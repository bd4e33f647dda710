import { expect } from 'vitest'
import { askOnce } from '../../test/support/postgres/postgres-sql.ts'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { codesOf } from '../../test/support/world/people.ts'
import { newMigratedStorage } from '../../test/support/world/storage.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = inOwnWorld(async () => {
  const storage = await newMigratedStorage()
  const world = await startWorld({ beside: { storage } })
  const close = async () => {
    await world.close()
    await storage.remove()
  }
  const ask = askOnce(storage.env['DATABASE_URL'] ?? '')
  return { ...world, close, run: (statements: string) => ask((sql) => sql.unsafe(statements)) }
})

const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }'

it('K9, C11: a revoked key stays revoked when the revocations are restored before the keys', async ({
  world,
  acme,
}) => {
  const [kept, revoked] = [await acme.generateKey(), await acme.generateKey()]
  await world.run(`create schema backup; create table backup.keys as select * from "apiKey";
    create table backup.state as select * from "revocationState"`)
  await acme.call(REVOKE, { id: revoked.id })

  await world.run(`alter table "apiKey" drop constraint "apiKey_organizationId_fkey"; delete from "apiKey";
    delete from "revocation" where "sequence" > (select "sequence" from backup.state);
    update "revocationState" set "sequence" = (select "sequence" from backup.state)`)
  expect((await world.asKey(kept.secret).call('{ viewer { role } }')).status, 'it is noticed').toBe(503)
  await world.database.settleRevocations()
  expect((await world.asKey(kept.secret).call('{ viewer { role } }')).status, 'it is not over').toBe(503)

  await world.run(`insert into "apiKey" select * from backup.keys;
    alter table "apiKey" add foreign key ("organizationId") references "organization" ("id")`)
  await world.database.settleRevocations()
  expect(await world.accepts(kept.secret)).toBe(true)
  expect(await world.accepts(revoked.secret)).toBe(false)
})

it('K9, C11: nothing is revoked without a record, while the state of the revocations is being restored', async ({
  world,
  acme,
}) => {
  const { id } = await acme.generateKey()
  const { read, transaction } = world.database
  await world.run('delete from "revocationState"')
  const record = transaction(async (db) => {
    await db.deleteFrom('apiKey').where('id', '=', id).execute()
    db.recordRevocations([{ kind: 'KEY', organizationId: acme.id, subject: '', endsAt: 0 }])
  })
  await expect(record).rejects.toThrow()
  expect(await read.selectFrom('apiKey').select('id').where('id', '=', id).execute()).toEqual([{ id }])
})

it('C12: while a table is missing, the answer is UNAVAILABLE', async ({ world, acme }) => {
  const { secret } = await acme.generateKey()
  await world.run('alter table "device" rename to "later"')
  expect(codesOf(await world.asKey(secret).call('{ devices { data { id } } }'))).toEqual(['UNAVAILABLE'])
})
