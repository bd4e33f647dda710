import { expect } from 'vitest'
import { LOOPBACK } from '../../test/support/world/called-from.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { codesOf, invited } from '../../test/support/world/people.ts'
import { PASSWORD, startWorld, type TestKey, type World } from '../../test/support/world/world.ts'
import { inTransaction } from './ctx.ts'
import { RULES_VERSION } from './key-rules.ts'
import { verifyKey } from './verify-key.ts'

const it = inWorld(startWorld)

/** As a newer version of the portal would leave the row, with a rule that this one does not know. */
const giveNewerRules = ({ database }: World, { id }: TestKey) =>
  database.transaction((db) =>
    db
      .updateTable('apiKey')
      .set({ rulesVersion: RULES_VERSION + 1, rules: '{"onlyOnWeekdays":true}' })
      .where('id', '=', id)
      .execute(),
  )

it('a key whose rules need a newer version gets 503, and other keys are answered', async ({ world, acme, call }) => {
  const key = await acme.generateKey()
  await giveNewerRules(world, key)

  const { status, errors } = await world.asKey(key.secret).call('{ viewer { role } }')
  expect([status, errors[0]?.extensions['code'], errors[0]?.message]).toEqual([
    503,
    'UNAVAILABLE',
    expect.stringContaining('being upgraded'),
  ])
  expect((await call('{ viewer { role } }')).status).toBe(200)
})

it('a request in progress writes nothing once its key has rules of a newer version', async ({ world, acme }) => {
  const key = await acme.generateKey()
  const found = await verifyKey(world.database, key.secret, LOOPBACK)
  if (found.outcome !== 'accepted') throw new Error(found.outcome)
  await giveNewerRules(world, key)

  const ctx = { caller: found.caller, reads: world.database.read, database: world.database, now: world.clock.now }
  await expect(inTransaction(ctx, async () => 'written')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

it('rules of a newer version are not overwritten: nobody renames, restricts, pauses or rotates such a key, and everybody can revoke it', async ({
  world,
  acme,
}) => {
  const key = await acme.generateKey()
  await giveNewerRules(world, key)
  const ask = (mutation: string) => acme.call(`mutation ($id: ID!) { ${mutation} }`, { id: key.id })

  expect(codesOf(await ask('renameApiKey(id: $id, label: "new") { id }'))).toEqual(['UNAVAILABLE'])
  expect(codesOf(await ask('updateApiKey(id: $id, input: { requestsPerDay: 5 }) { id }'))).toEqual(['UNAVAILABLE'])
  expect(codesOf(await ask('pauseApiKey(id: $id) { id }'))).toEqual(['UNAVAILABLE'])
  expect(codesOf(await ask('resumeApiKey(id: $id) { id }'))).toEqual(['UNAVAILABLE'])
  expect(codesOf(await ask('rotateApiKey(id: $id) { secret }'))).toEqual(['UNAVAILABLE'])
  expect(
    codesOf(await acme.call('mutation { setApiKeyPolicy(input: { rejectBrowsers: true }) { rejectBrowsers } }')),
  ).toEqual(['UNAVAILABLE'])
  expect(codesOf(await ask('revokeApiKey(id: $id) { ids }'))).toEqual([])
})

it.for([
  '{"onlyOnWeekdays":true}',
  '{"maxKeys":5,"onlyOnWeekdays":true}',
  '{"onlyOnWeekdays":true,"rejectBrowsers":true}',
])('no key is generated under a policy with a rule of a newer version: %s', async (apiKeyPolicy, { world, ada }) => {
  const other = await world.organization('Newer', { admin: ada })
  await world.database.transaction((db) =>
    db.updateTable('organization').set({ apiKeyPolicy }).where('id', '=', other.id).execute(),
  )
  expect(codesOf(await other.call('mutation { generateApiKey(input: {}) { secret } }'))).toEqual(['UNAVAILABLE'])
  const set = 'mutation { setApiKeyPolicy(input: { labelRequired: true }) { labelRequired } }'
  expect(codesOf(await other.call(set))).toEqual(['UNAVAILABLE'])
  const stored = world.database.read.selectFrom('organization').select('apiKeyPolicy').where('id', '=', other.id)
  expect(await stored.execute()).toEqual([{ apiKeyPolicy }])
})

it('nobody joins by an invitation of a key whose rules need a newer version', async ({ world, acme }) => {
  const key = await acme.generateKey()
  const { token } = await invited(world.asKey(key.secret).call, { email: 'new@example.com' })
  await giveNewerRules(world, key)
  const body = { token, name: 'New', password: PASSWORD }
  expect((await world.post('/auth/accept-invitation', body)).status).toBe(503)
})
