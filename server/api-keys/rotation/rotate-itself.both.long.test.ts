import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { codesOf, fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type World } from '../../../test/support/world/world.ts'
import { DAY, HOUR } from '../../lib/clock.ts'

const it = inOrganization(startWorld)

const ROTATE = `mutation ($id: ID!, $overlap: Int, $expiresAt: DateTime) {
  rotateApiKey(id: $id, overlapSeconds: $overlap, expiresAt: $expiresAt) {
    secret apiKey { id label access deviceId allowedNetworks requestsPerDay expiresAt } } }`

interface Rotated {
  secret: string
  apiKey: { id: string }
}

const rotate = (world: World, { secret, id }: Pick<TestKey, 'secret' | 'id'>, args = {}) =>
  world.asKey(secret).call(ROTATE, { id, ...args })
const verdict = async (world: World, secret: string) =>
  codesOf(await world.asKey(secret).call('{ viewer { role } }')).at(0) ?? 'ok'
const inFuture = (world: World, ms: number) => new Date(world.clock.now() + ms).toISOString()

it.for(['READ_ONLY', 'DEVICES', 'CHECK_IN'] as const)(
  'C10: a key with the access %s rotates itself, and gets what it had',
  async (access, { world, acme }) => {
    const created = await acme.call('mutation { createDevice(input: { name: "edge-1" }) { id } }')
    const deviceId = access === 'CHECK_IN' ? fieldOf<{ id: string }>(created).id : null
    const rules = { access, deviceId, allowedNetworks: ['127.0.0.0/8'], requestsPerDay: 1000 }
    const old = await acme.generateKey({ label: 'ci', ...rules, expiresAt: inFuture(world, 30 * DAY) })
    const admin = world.asKey((await acme.generateKey()).secret) // sessions end sooner
    world.clock.advance(10 * DAY)
    const { secret, apiKey } = fieldOf<Rotated>(await rotate(world, old, { overlap: 3600 }))
    expect(apiKey).toMatchObject({ label: 'ci', ...rules, expiresAt: inFuture(world, 30 * DAY) })
    expect(await Promise.all([old.secret, secret].map((each) => verdict(world, each)))).toEqual(['ok', 'ok'])
    const { data } = await admin.call('{ auditEvents(first: 1) { data { action subjectId actor { kind id } } } }')
    expect(data).toEqual({
      auditEvents: { data: [{ action: 'API_KEY_ROTATED', subjectId: old.id, actor: { kind: 'API_KEY', id: old.id } }] },
    })
    world.clock.advance(HOUR)
    expect(await verdict(world, old.secret)).toBe('API_KEY_EXPIRED')
    const again = fieldOf<Rotated>(await rotate(world, { secret, id: apiKey.id }, { overlap: 0 }))
    expect(await Promise.all([secret, again.secret].map((each) => verdict(world, each)))).toEqual([
      'API_KEY_INVALID',
      'ok',
    ])
  },
)

it.for(['READ_ONLY', 'DEVICES', 'CHECK_IN'] as const)(
  'C10: a key with the access %s rotates no other key, not even one that it replaced, one like it, or one that does not exist',
  async (access, { world, acme }) => {
    const own = await acme.generateKey({ access })
    const next = fieldOf<Rotated>(await rotate(world, own))
    const others = [await acme.generateKey({ access }), await acme.generateKey(), next.apiKey]
    for (const id of [...others.map((key) => key.id), '0'.repeat(26), '']) {
      const { errors } = await world.asKey(own.secret).call(ROTATE, { id })
      expect([id, errors]).toEqual([id, [expect.objectContaining({ code: 'FORBIDDEN' })]])
      expect(errors[0]?.message).toContain('does not include rotateApiKey for another key than itself.')
    }
    expect(codesOf(await rotate(world, own))).toEqual(['CONFLICT']) // replaced already: one step
    const aliased = `mutation { a: rotateApiKey(id: "${next.apiKey.id}") { secret } b: renameApiKey(id: "${own.id}", label: "x") { id } }`
    expect(codesOf(await world.asKey(own.secret).call(aliased))).toEqual(['FORBIDDEN', 'FORBIDDEN'])
  },
)

const TWICE = (['READ_ONLY', 'DEVICES', 'CHECK_IN'] as const).flatMap((access) =>
  [0, 3600].map((overlap) => ({ access, overlap })),
)

it.for(TWICE)(
  'C10: the requests of $access count on when it rotates itself with an overlap of $overlap s',
  async ({ access, overlap }, { world, acme }) => {
    const first = await acme.generateKey({ access, requestsPerDay: 5 })
    world.clock.advance(DAY - (world.clock.now() % DAY)) // all of it within a day
    const second = fieldOf<Rotated>(await rotate(world, first, { overlap }))
    expect(await verdict(world, second.secret)).toBe('ok')
    world.clock.advance(2 * HOUR) // one overlap is over, so that there can be another
    const third = fieldOf<Rotated>(await rotate(world, { ...second, id: second.apiKey.id }, { overlap }))
    const both = [third.secret, overlap > 0 ? second.secret : third.secret]
    expect(await Promise.all(both.map((secret) => verdict(world, secret)))).toEqual(['ok', 'ok'])
    expect(await Promise.all(both.map((secret) => verdict(world, secret)))).toEqual(['RATE_LIMITED', 'RATE_LIMITED'])
  },
)

it('C10: they count on after the policy and its limits have changed', async ({ world, acme }) => {
  const key = await acme.generateKey({ access: 'DEVICES', requestsPerDay: 9 })
  const next = fieldOf<Rotated>(await rotate(world, key, { overlap: 3600 }))
  const { id } = next.apiKey
  await acme.call('mutation { setApiKeyPolicy(input: { rejectBrowsers: true }) { maxKeys } }')
  await acme.call('mutation ($id: ID!) { updateApiKey(id: $id, input: { requestsPerDay: 2 }) { id } }', { id })
  expect([await verdict(world, next.secret), await verdict(world, next.secret)]).toEqual(['ok', 'RATE_LIMITED'])
})

it('C10: it gives itself no longer life than it had, and a shorter one if it wants', async ({ world, acme }) => {
  const key = await acme.generateKey({ access: 'DEVICES', expiresAt: inFuture(world, DAY) })
  const longer = await rotate(world, key, { expiresAt: inFuture(world, DAY + HOUR) })
  expect(longer.errors).toMatchObject([{ code: 'FORBIDDEN', field: 'expiresAt' }])
  const wanted = inFuture(world, HOUR)
  expect(fieldOf(await rotate(world, key, { expiresAt: wanted }))).toMatchObject({ apiKey: { expiresAt: wanted } })
})

it('by the policy: not where keys manage no keys, and no longer than the maximum lifetime', async ({ world, acme }) => {
  const set = (input: string) => acme.call(`mutation { setApiKeyPolicy(input: { ${input} }) { maxKeys } }`)
  const free = await acme.generateKey({ access: 'READ_ONLY' })
  await set('maxLifetimeDays: 7, expiryRequired: true')
  expect(codesOf(await rotate(world, free))).toEqual([])
  await set('allowKeyManagement: false')
  const bound = await acme.generateKey({ access: 'READ_ONLY', expiresAt: inFuture(world, DAY) })
  expect((await rotate(world, bound)).errors).toMatchObject([
    { code: 'FORBIDDEN', message: expect.stringContaining('may not manage keys') },
  ])
})

it('C12: a key whose access or network ended meanwhile, or whose feature is off, does not rotate itself', async ({
  world,
  acme,
}) => {
  const [revoked, off] = [await acme.generateKey({ access: 'DEVICES' }), await acme.generateKey({ access: 'DEVICES' })]
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: revoked.id })
  expect(codesOf(await rotate(world, revoked))).toEqual(['API_KEY_INVALID'])
  await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
  expect(codesOf(await rotate(world, off))).toEqual(['FEATURE_DISABLED'])
})
