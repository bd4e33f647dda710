import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'
import type { Db } from '../../db/tables.ts'
import { waitForTurn } from '../../lib/event-loop.ts'

const it = inOrganization(startWorld)

const GROUPS = 60
const block = (ms: number) => {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** Calls as if a crowd sent requests all the time, so that the call waits, and changes the database meanwhile. */
async function changedWhileWaiting(
  { database }: World,
  call: () => Promise<{ status: number }>,
  change: (db: Db) => Promise<unknown>,
) {
  let isOver = false
  const crowd = Array.from({ length: GROUPS }, async (_, group) => {
    while (!isOver) {
      await waitForTurn(() => `group ${group}`)
      block(5)
    }
  })
  const before = database.lookups.asked
  const answer = call()
  while (database.lookups.asked === before) await yieldToEventLoop()
  await database.transaction(change)
  isOver = true
  await Promise.all(crowd)
  return (await answer).status
}

it('C12: a key that is revoked while its request waits for its turn is refused', async ({ world, key }) => {
  const call = () =>
    fetch(`${world.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'api-secret': key.secret },
      body: JSON.stringify({ query: '{ devices { data { id } } }' }),
    })
  const revoke = (db: Db) => db.deleteFrom('apiKey').where('id', '=', key.id).execute()
  expect(await changedWhileWaiting(world, call, revoke)).toBe(401)
})

it('C12: a session that ends while its request waits for its turn is refused', async ({ world, acme }) => {
  const call = () => acme.call('{ devices { data { id } } }')
  expect(await changedWhileWaiting(world, call, (db) => db.deleteFrom('session').execute())).toBe(401)
})
