import { expect } from 'vitest'
import { examinedBy } from '../../test/support/process/examined.ts'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { DAY } from '../lib/clock.ts'

const it = inOwnWorld(() => startWorld())

it('doctor finds webhooks whose secrets cannot be decrypted, and none before there are webhooks', async ({
  world,
  acme,
}) => {
  const { storage, database, clock } = world
  const found = async (env: Record<string, string> = {}) =>
    (await examinedBy({ env: { ...storage.env, ...env }, options: { now: clock.now } })).get('webhook secrets')
  expect(await found()).toBeUndefined()

  const hooks = webhooksAs(acme.call)
  const { webhook } = await hooks.create()
  await hooks.create()
  await hooks.rotate(webhook.id)
  expect(await found()).toEqual({
    level: 'success',
    message: 'The secrets of all webhooks (2) can be decrypted.',
  })
  const changed = await found({ PORTAL_SECRET: 'x'.repeat(40) })
  expect(changed).toMatchObject({
    level: 'failure',
    message: expect.stringContaining('The secrets of 2 of 2 webhooks'),
  })

  const previousSecret = 'not encrypted by this portal'
  await database.transaction((db) =>
    db.updateTable('webhook').set({ previousSecret }).where('id', '=', webhook.id).execute(),
  )
  expect(await found()).toMatchObject({
    level: 'failure',
    message: `The secrets of 1 of 2 webhooks cannot be decrypted with this PORTAL_SECRET, so nothing is delivered to them: ${webhook.id}.`,
  })
  clock.advance(2 * DAY)
  expect((await found())?.level, 'it no longer signs').toBe('success')
})
