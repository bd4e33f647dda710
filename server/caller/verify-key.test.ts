import { describe, expect } from 'vitest'
import { LOOPBACK } from '../../test/support/world/called-from.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { PATIENT, untilItWaits } from '../../test/support/world/waiting.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../test/support/world/world.ts'
import { generateApiKey } from '../api-keys/generate.ts'
import { KnownPoint, type RevocationPoint } from '../db/known-point.ts'
import { createDevice } from '../devices/device.ts'
import { MINUTE } from '../lib/clock.ts'
import { mintSecret } from '../secrets/secret.ts'
import { type Ctx, inTransaction } from './ctx.ts'
import { keyRules, writeRules } from './key-rules.ts'
import { keyRefused, refusalOf, verifyKey } from './verify-key.ts'

const it = inWorld(() => startWorld({ timeouts: PATIENT }))

/** A request that has passed the door with this key, and has not written yet. */
async function onItsWay(world: World, { secret }: TestKey): Promise<Ctx> {
  const { database, clock } = world
  const found = await verifyKey(database, secret, LOOPBACK)
  if (found.outcome !== 'accepted') throw new Error(found.outcome)
  return { caller: found.caller, reads: database.read, database, now: clock.now }
}

const devices = async (acme: TestOrganization) => (await acme.call('{ devices { totalCount } }')).data

it('K10: a request in progress writes nothing after its key was revoked', async ({ world, acme }) => {
  const key = await acme.generateKey()
  const ctx = await onItsWay(world, key)
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })

  await expect(createDevice(ctx, { name: 'too late' })).rejects.toMatchObject({ code: 'API_KEY_INVALID' })
  await expect(generateApiKey(ctx, { label: 'too late' })).rejects.toMatchObject({ code: 'API_KEY_INVALID' })
  expect(await devices(acme)).toEqual({ devices: { totalCount: 0 } })
})

it.for<[what: string, ahead: RevocationPoint]>([
  ['with fewer revocations', { incarnation: 0, sequence: 1 }],
  ['of another incarnation', { incarnation: 1, sequence: 0 }],
])(
  'C11: a request in progress writes nothing into another database than was seen before: %s',
  async ([, ahead], { world, acme }) => {
    const ctx = await onItsWay(world, await acme.generateKey())
    const state = ctx.reads.selectFrom('revocationState').select(['incarnation', 'sequence'])
    const { incarnation, sequence } = await state.executeTakeFirstOrThrow()
    const point = new KnownPoint()
    point.require({ incarnation: incarnation + ahead.incarnation, sequence: sequence + ahead.sequence })
    const late = createDevice({ ...ctx, database: { ...ctx.database, point } }, { name: 'too late' })
    await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await devices(acme)).toEqual({ devices: { totalCount: 0 } })
  },
)

it('K10: each request looks its key up for itself, also while another one waits for its answer', async ({
  world: { database },
  acme,
}) => {
  const { id, secret } = await acme.generateKey()
  const letGo = Promise.withResolvers<void>()
  const lookUp: typeof database.lookUp = async (...asked) => {
    const found = await database.lookUp(...asked)
    await letGo.promise
    return found
  }
  const first = verifyKey({ ...database, lookUp }, secret, LOOPBACK)
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id })
  const second = verifyKey(database, secret, LOOPBACK)
  letGo.resolve()
  expect([(await first).outcome, (await second).outcome]).toEqual(['accepted', 'invalid'])
})

it('K10: a revoke waits for a write in progress with its key: the write commits first', async ({
  world,
  ada,
  acme,
}) => {
  const key = await acme.generateKey()
  const [entered, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const order: string[] = []
  const writing = inTransaction(await onItsWay(world, key), async (ctx) => {
    entered.resolve()
    await letGo.promise
    await ctx.db.updateTable('device').set({ description: 'late' }).where('id', '=', 'nothing').execute()
    order.push('written')
  })
  await entered.promise
  const { done } = await untilItWaits(world, () =>
    ada
      .call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id }, acme.slug)
      .then(({ errors }) => order.push(errors[0]?.code ?? 'revoked')),
  )
  expect(order).toEqual([])
  letGo.resolve()
  await Promise.all([writing, done])
  expect(order).toEqual(['written', 'revoked'])
})

it('C7: a request in progress writes nothing after its key has expired', async ({ world, acme }) => {
  const expiresAt = new Date(world.clock.now() + MINUTE).toISOString()
  const ctx = await onItsWay(world, await acme.generateKey({ expiresAt }))
  world.clock.advance(MINUTE)

  await expect(createDevice(ctx, { name: 'too late' })).rejects.toMatchObject({ code: 'API_KEY_EXPIRED' })
})

it('a malformed key is refused without a query', async ({ world }) => {
  const asked = () => world.database.lookups.asked
  const before = asked()
  const secret = mintSecret('emp_')
  for (const malformed of ['', 'hunter2', `${secret.slice(0, -1)}~`, secret.replace('emp_', 'ems_'), `${secret} `]) {
    expect(await verifyKey(world.database, malformed, LOOPBACK)).toEqual({ outcome: 'invalid' })
  }
  expect(asked() - before).toBe(0)
  expect(await verifyKey(world.database, secret, LOOPBACK)).toMatchObject({ outcome: 'invalid' })
  expect(asked() - before).toBe(1)
})

describe('an existing key', () => {
  const call = { address: '10.0.0.1', origin: undefined }
  const now = 1_000

  it.each([
    ['from elsewhere', { networks: ['192.0.2.0/24'] }, call, 'wrong network', /network/],
    [
      'from nowhere that can be read',
      { networks: ['0.0.0.0/0', '::/0'] },
      { ...call, address: '' },
      'wrong network',
      /network/,
    ],
    ['by a browser', { noBrowser: true }, { ...call, origin: 'https://example.com' }, 'browser', /browser/],
    ['by a browser that hides where it is', { noBrowser: true }, { ...call, origin: 'null' }, 'browser', /browser/],
    ['with an empty Origin', { noBrowser: true }, { ...call, origin: '' }, 'browser', /browser/],
    ['without a label', { unlabelled: true }, call, 'needs a label', /rename/],
  ] as const)(
    'is refused for a call %s, with a message that says what to do',
    (_how, rules, asked, refusal, message) => {
      expect(refusalOf({ expiresAt: null, pausedUntil: null }, keyRules(writeRules(rules)), asked, now)).toBe(refusal)
      expect(keyRefused(refusal)).toMatchObject({ code: 'FORBIDDEN', message: expect.stringMatching(message) })
    },
  )

  it('K6, K7: is accepted from everywhere by default', () => {
    const anywhere = { address: 'unreadable', origin: 'https://example.com' }
    expect(refusalOf({ expiresAt: null, pausedUntil: null }, keyRules(null), anywhere, now)).toBeUndefined()
  })

  it('is accepted for calls that its rules allow', () => {
    const rules = keyRules(writeRules({ networks: ['10.0.0.0/8'], noBrowser: true, noKeys: true }))
    expect(refusalOf({ expiresAt: now + 1, pausedUntil: null }, rules, call, now)).toBeUndefined()
    expect(
      refusalOf({ expiresAt: now + 1, pausedUntil: null }, rules, { ...call, address: '::ffff:10.0.0.1' }, now),
    ).toBeUndefined()
    expect(rules.managesKeys).toBe(false)
  })

  it('C7: has expired from the millisecond of its expiration on, whatever its rules', () => {
    const rules = keyRules(writeRules({ networks: ['192.0.2.0/24'], unlabelled: true }))
    expect(refusalOf({ expiresAt: now, pausedUntil: null }, rules, call, now)).toBe('expired')
    expect(refusalOf({ expiresAt: now + 1, pausedUntil: null }, rules, call, now)).toBe('wrong network')
    expect(keyRefused('expired').code).toBe('API_KEY_EXPIRED')
  })
})
