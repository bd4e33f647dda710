import { expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { codesOf, fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY } from '../../lib/clock.ts'

const ROTATE = `mutation ($id: ID!, $expiresAt: DateTime) {
  rotateApiKey(id: $id, expiresAt: $expiresAt) { secret apiKey { expiresAt } } }`

const it = inWorld(startWorld)

const inFuture = (world: World, ms: number) => new Date(world.clock.now() + ms).toISOString()

const rotate = (org: TestOrganization, id: string, expiresAt?: string) => org.call(ROTATE, { id, expiresAt })

const endOf = async (...rotation: Parameters<typeof rotate>) =>
  fieldOf<{ apiKey: { expiresAt: string | null } }>(await rotate(...rotation)).apiKey.expiresAt

const setPolicy = async (org: TestOrganization, input: object) => {
  const set = 'mutation ($input: ApiKeyPolicyInput!) { setApiKeyPolicy(input: $input) { maxLifetimeDays } }'
  expect(codesOf(await org.call(set, { input }))).toEqual([])
}

it('the maximum lifetime shortens a default expiration, and refuses a later one that is given', async ({
  world,
  ada,
}) => {
  const org = await world.organization('Short lives', { admin: ada })
  const [endless, long, short] = [
    await org.generateKey(),
    await org.generateKey({ expiresAt: inFuture(world, 90 * DAY) }),
    await org.generateKey({ expiresAt: inFuture(world, 10 * DAY) }),
  ]
  await setPolicy(org, { maxLifetimeDays: 30 })
  expect((await rotate(org, endless.id, inFuture(world, 31 * DAY))).errors).toMatchObject([
    { code: 'BAD_USER_INPUT', field: 'expiresAt' },
  ])
  expect(await endOf(org, endless.id)).toBe(inFuture(world, 30 * DAY))
  expect(await endOf(org, long.id)).toBe(inFuture(world, 30 * DAY))
  expect(await endOf(org, short.id)).toBe(inFuture(world, 10 * DAY))
})

it('if an expiration is required, it must be given for a key that has none', async ({ world, ada }) => {
  const org = await world.organization('Ends', { admin: ada })
  const { id } = await org.generateKey()
  await setPolicy(org, { expiryRequired: true })
  expect((await rotate(org, id)).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field: 'expiresAt' }])
  expect(await endOf(org, id, inFuture(world, DAY))).toBe(inFuture(world, DAY))
})

it('a new key has the rules of the old one', async ({ world, ada }) => {
  const org = await world.organization('Networks', { admin: ada })
  await setPolicy(org, { allowedNetworks: ['10.0.0.0/8'] })
  const old = await org.generateKey()
  const fresh = fieldOf<{ secret: string }>(await rotate(org, old.id))
  for (const { secret } of [old, fresh]) {
    expect(codesOf(await world.asKey(secret).call('{ viewer { role } }'))).toEqual(['FORBIDDEN'])
  }
})

it('a key that may not manage keys can neither rotate nor revoke, not even itself', async ({ world, ada }) => {
  const org = await world.organization('No keys by keys', { admin: ada })
  await setPolicy(org, { allowKeyManagement: false })
  const { id, secret } = await org.generateKey()
  for (const operation of [
    'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }',
    'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }',
    'mutation ($id: ID!) { revokeApiKeys(input: { ids: [$id] }) { ids } }',
    'mutation { setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id } }',
  ]) {
    expect(
      codesOf(await world.asKey(secret).call(operation, operation.includes('$id') ? { id } : {})),
      operation,
    ).toEqual(['FORBIDDEN'])
  }
  expect(codesOf(await world.asKey(secret).call('{ viewer { role } }'))).toEqual([])
  expect(codesOf(await rotate(org, id))).toEqual([])
})

it('the new key of a paused one is paused until the same moment, by the same person', async ({ world, ada }) => {
  const org = await world.organization('Paused', { admin: ada })
  const pause = 'paused pausedUntil pausedAt pausedBy { kind name }'
  for (const seconds of [3600, null]) {
    const { id } = await org.generateKey()
    const other = await org.generateKey()
    const paused = await org.call(
      `mutation ($id: ID!, $seconds: Int) { pauseApiKey(id: $id, seconds: $seconds) { ${pause} } }`,
      { id, seconds },
    )
    const asked = `mutation ($id: ID!) { rotateApiKey(id: $id) { secret apiKey { ${pause} } } }`
    const { secret, apiKey } = fieldOf<{ secret: string; apiKey: object }>(
      await world.asKey(other.secret).call(asked, { id }),
    )
    expect(apiKey).toEqual(fieldOf(paused))
    expect(codesOf(await world.asKey(secret).call('{ viewer { role } }'))).toEqual(['API_KEY_PAUSED'])
  }
})

it('a key that was paused and is accepted again has an accepted successor', async ({ world, ada }) => {
  const org = await world.organization('Resumed', { admin: ada })
  const { id } = await org.generateKey()
  await org.call('mutation ($id: ID!) { pauseApiKey(id: $id, seconds: 60) { id } }', { id })
  world.clock.advance(61_000)
  const { secret } = fieldOf<{ secret: string }>(await rotate(org, id))
  expect(codesOf(await world.asKey(secret).call('{ viewer { role } }'))).toEqual([])
})

it('refuses an expiration before the moment from which on the key is accepted', async ({ world, ada }) => {
  const org = await world.organization('Never', { admin: ada })
  const { id } = await org.generateKey({ notBefore: inFuture(world, 10 * DAY) })
  for (const days of [9, 10])
    expect((await rotate(org, id, inFuture(world, days * DAY))).errors).toMatchObject([
      { code: 'BAD_USER_INPUT', field: 'expiresAt' },
    ])
  expect(await endOf(org, id, inFuture(world, 11 * DAY))).toBe(inFuture(world, 11 * DAY))
})
