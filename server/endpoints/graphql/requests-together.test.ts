import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished } from 'vitest'
import { openConnections, sendOn } from '../../../test/support/world/at-once.ts'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { startWorld } from '../../../test/support/world/world.ts'

const it = inOrganization(startWorld)

const HEAD_READ = 'http.server.request.start'

it('K10: a request is refused whose key is revoked while the requests before it arrive', async ({ world, key }) => {
  await world.database.transaction((db) =>
    db.updateTable('apiKey').set({ lastUsedAt: world.clock.now() }).where('id', '=', key.id).execute(),
  ) // a first use would be written at once, and lock the file
  const sockets = await openConnections(world, 10)
  const headers = { 'content-type': 'application/json', 'api-secret': key.secret }
  const many = sockets.map(() => ({ headers, body: { query: '{ devices { data { id } } }' } }))
  const statusesOf = async () => (await sendOn(sockets, many)).map(({ status }) => status)
  expect(await statusesOf()).toEqual(many.map(() => 200))
  const file = new DatabaseSync(join(world.database.location, 'portal.db'), { timeout: 5000 })
  onTestFinished(() => file.close())
  let heads = 0
  const revokeBeforeTheLast = () => {
    if (++heads === many.length) file.prepare('delete from "apiKey" where "id" = ?').run(key.id)
  }
  subscribe(HEAD_READ, revokeBeforeTheLast)
  onTestFinished(() => void unsubscribe(HEAD_READ, revokeBeforeTheLast))
  expect((await statusesOf()).at(-1)).toBe(401)
  expect(heads).toBe(many.length)
})

it('requests that arrive together while the database is not believed are refused, and nothing else happens', async ({
  world,
  key,
}) => {
  const sockets = await openConnections(world, 3)
  const headers = { 'content-type': 'application/json', 'api-secret': key.secret }
  const many = sockets.map(() => ({ headers, body: { query: '{ devices { data { id } } }' } }))
  const statuses = async () => (await sendOn(sockets, many)).map(({ status }) => status)
  const { point } = world.database
  point.onDoubt = () => {} // nobody compares it with the ledger
  point.doubt()
  expect(await statuses()).toEqual([503, 503, 503])
  point.settle(point.seen, '', point.doubts)
  expect(await statuses()).toEqual([200, 200, 200])
})
