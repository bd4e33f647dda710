import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it as plain } from 'vitest'
import { call } from '../../test/support/http.ts'
import { newMigratedStorage } from '../../test/support/storage.ts'
import { startWorld } from '../../test/support/world.ts'

/** A portal whose database is copied, used on, and then copied back while it is stopped. */
const it = plain
  .extend('storage', () => newMigratedStorage())
  .extend('portal', async ({ storage }, { onCleanup }) => {
    const folder = storage.env['DATA_DIR'] ?? ''
    const file = join(folder, 'portal.db')
    onCleanup(storage.remove)
    return {
      start: () => startWorld({ beside: { storage } }),
      backUp: () => copyFileSync(file, join(folder, 'backup')),
      copyBack: () => {
        for (const each of ['-wal', '-shm']) rmSync(file + each, { force: true })
        copyFileSync(join(folder, 'backup'), file)
      },
    }
  })

it('K9, C11: a key that was revoked after the backup stays revoked when the database is copied back', async ({
  portal,
}) => {
  const first = await portal.start()
  const ada = await first.signUp('Ada')
  const acme = await first.organization('Acme', { admin: ada })
  const [kept, revoked] = [await acme.generateKey(), await acme.generateKey()]
  await first.close()
  portal.backUp()

  const second = await portal.start()
  const { data } = await second.asKey(kept.secret).call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', {
    id: revoked.id,
  })
  expect(data).toEqual({ revokeApiKey: { durable: true } })
  await second.close()
  portal.copyBack()

  const third = await portal.start()
  const devices = '{ devices { data { id } } }'
  expect((await third.asKey(revoked.secret).call(devices)).status).toBe(401)
  expect((await third.asKey(kept.secret).call(devices)).status).toBe(200)
  const signedIn = await call(`${third.url}/portal/graphql`, { cookie: ada.cookie }, '{ viewer { role } }')
  expect(signedIn.status, 'everybody is signed out').toBe(401)
  await third.close()
})
