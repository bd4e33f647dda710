import { expect, it as plain } from 'vitest'
import { call } from '../../test/support/world/http.ts'
import { newRestorableStorage } from '../../test/support/world/restorable-storage.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { type Clock, HOUR } from '../lib/clock.ts'
import { LedgerFile } from './ledger-file.ts'

/** A portal whose database is copied, used on, and then copied back while it is stopped. */
const it = plain
  .extend('storage', () => newRestorableStorage())
  .extend('portal', ({ storage }, { onCleanup }) => {
    onCleanup(storage.remove)
    return { ...storage, start: (now?: Clock) => startWorld({ beside: { storage }, ...(now && { now }) }) }
  })

it('K9, C11: a key that was revoked after the backup stays revoked when the database is copied back', async ({
  portal,
}) => {
  const first = await portal.start()
  const ada = await first.signUp('Ada')
  const acme = await first.organization('Acme', { admin: ada })
  const [kept, revoked] = [await acme.generateKey(), await acme.generateKey()]
  await first.close()
  await portal.backUp()

  const second = await portal.start()
  const { data } = await second.asKey(kept.secret).call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', {
    id: revoked.id,
  })
  expect(data).toEqual({ revokeApiKey: { durable: true } })
  await second.close()
  await portal.restore()

  const third = await portal.start()
  const devices = '{ devices { data { id } } }'
  expect((await third.asKey(revoked.secret).call(devices)).status).toBe(401)
  expect((await third.asKey(kept.secret).call(devices)).status).toBe(200)
  const signedIn = await call(`${third.url}/portal/graphql`, { cookie: ada.cookie }, '{ viewer { role } }')
  expect(signedIn.status, 'everybody is signed out').toBe(401)
  await third.close()
})

it('K9, C11: a revoke of many keys has returned once the ledger has all of them', async ({ portal }) => {
  const world = await portal.start()
  const acme = await world.organization('Acme', { admin: await world.signUp('Ada') })
  for (let i = 0; i < 3; i++) await acme.generateKey()
  await acme.call('mutation { revokeApiKeys(input: { all: true }) { durable } }')
  const file = new LedgerFile(portal.ledger)
  const kinds = file.rowsSince(0, 10).map(({ kind }) => kind)
  file.close()
  expect(kinds.filter((kind) => kind === 'KEY')).toHaveLength(3)
  await world.close()
})

it('K9, C11: a revoked key stays revoked on a machine whose clock is behind', async ({ portal }) => {
  const first = await portal.start()
  const acme = await first.organization('Acme', { admin: await first.signUp('Ada') })
  const [kept, revoked, rotated] = [await acme.generateKey(), await acme.generateKey(), await acme.generateKey()]
  await first.close()
  await portal.backUp()

  const ahead = await portal.start(() => first.clock.now() + HOUR)
  const { call } = ahead.asKey(kept.secret)
  await call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', { id: revoked.id })
  await call('mutation ($id: ID!) { rotateApiKey(id: $id, overlapSeconds: 0) { secret } }', { id: rotated.id })
  await ahead.close()
  await portal.restore()

  const behind = await portal.start()
  const accepted = [kept, revoked, rotated].map(({ secret }) => behind.accepts(secret))
  expect(await Promise.all(accepted)).toEqual([true, false, false])
  await behind.close()
})

it('K9, C11: a revoked key whose row somebody has put back is deleted again before a call is accepted', async ({
  portal,
}) => {
  const first = await portal.start()
  const acme = await first.organization('Acme', { admin: await first.signUp('Ada') })
  const [kept, revoked] = [await acme.generateKey(), await acme.generateKey()]
  const row = await first.database.read
    .selectFrom('apiKey')
    .selectAll()
    .where('id', '=', revoked.id)
    .executeTakeFirstOrThrow()
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', { id: revoked.id })
  await first.database.transaction((db) => db.insertInto('apiKey').values(row).execute())
  await first.close()

  const second = await portal.start()
  expect(await second.accepts(kept.secret)).toBe(true)
  expect(await second.accepts(revoked.secret)).toBe(false)
  await second.close()
})

it('a rotated key that has reached its end is listed as expired after a restart: nothing was restored', async ({
  portal,
}) => {
  const first = await portal.start()
  const acme = await first.organization('Acme', { admin: await first.signUp('Ada') })
  const [kept, rotated] = [await acme.generateKey(), await acme.generateKey()]
  await acme.call('mutation ($id: ID!) { rotateApiKey(id: $id, overlapSeconds: 60) { secret } }', { id: rotated.id })
  await first.close()

  const later = await portal.start(() => first.clock.now() + HOUR)
  const { data } = await later
    .asKey(kept.secret)
    .call('query ($id: ID!) { apiKey(id: $id) { expired } revokedApiKeys { data { cause } } }', { id: rotated.id })
  expect(data).toEqual({ apiKey: { expired: true }, revokedApiKeys: { data: [] } })
  expect(await later.accepts(rotated.secret)).toBe(false)
  await later.close()
})
