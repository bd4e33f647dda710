import { expect, it as plain } from 'vitest'
import { call } from '../../test/support/http.ts'
import { newRestorableStorage } from '../../test/support/restorable-storage.ts'
import { startWorld } from '../../test/support/world.ts'

/** A portal whose database is copied, used on, and then copied back while it is stopped. */
const it = plain
  .extend('storage', () => newRestorableStorage())
  .extend('portal', ({ storage }, { onCleanup }) => {
    onCleanup(storage.remove)
    return { ...storage, start: () => startWorld({ beside: { storage } }) }
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
