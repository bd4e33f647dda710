import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import type { Answer } from '../../../test/support/world/http.ts'
import { codesOf, eventsOf, fieldOf, peopleAs } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { HOUR } from '../../lib/clock.ts'

const ASK = '{ viewer { role } }'
const RULES = 'access deviceId device { name } allowedNetworks notBefore requestsPerSecond requestsPerDay'
const UPDATE = `mutation ($id: ID!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { ${RULES} } }`

const it = inOrganization(() => startWorld({ env: { TRUST_PROXY: 'on' } }))

const update = (acme: TestOrganization, { id }: { id: string }, input: object) => acme.call(UPDATE, { id, input })

const shown = (acme: TestOrganization, { id }: { id: string }) =>
  acme.call(`query ($id: ID!) { apiKey(id: $id) { ${RULES} } }`, { id }).then(fieldOf<object>)

async function aDevice(acme: TestOrganization, name: string): Promise<string> {
  const create = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
  return fieldOf<{ id: string }>(await acme.call(create, { name })).id
}

const rowOf = ({ database }: World, { id }: { id: string }) =>
  database.read.selectFrom('apiKey').select(['rules', 'rulesVersion']).where('id', '=', id).executeTakeFirstOrThrow()

const checkIn = (world: World, { secret }: TestKey, id: string) =>
  world.asKey(secret).call('mutation ($id: ID!) { checkInDevice(id: $id) { id name } }', { id })

const errorOf = ({ errors }: Answer) => ({ code: errors[0]?.code, field: errors[0]?.field })

describe('C10: a new key', () => {
  it('K6: has the whole access without input, and its row names the first version of rules', async ({
    world,
    acme,
  }) => {
    const answer = await acme.call(`mutation { generateApiKey { secret apiKey { id ${RULES} } } }`)
    const { apiKey } = fieldOf<{ apiKey: { id: string } }>(answer)
    const none = { device: null, deviceId: null, notBefore: null, requestsPerSecond: null, requestsPerDay: null }
    expect(apiKey).toMatchObject({ access: 'ADMIN', allowedNetworks: [], ...none })
    expect(await rowOf(world, apiKey)).toEqual({ rules: null, rulesVersion: 1 })
  })

  it('has what was chosen, which viewer, the list and the audit log show; an older process refuses it', async ({
    world,
    acme,
  }) => {
    const notBefore = new Date(world.clock.now() - HOUR).toISOString()
    const chosen = { allowedNetworks: ['127.0.0.0/8'], notBefore, requestsPerSecond: 50, requestsPerDay: 1000 }
    const key = await acme.generateKey({ label: 'narrow', access: 'READ_ONLY', ...chosen })
    expect(await shown(acme, key)).toMatchObject({ access: 'READ_ONLY', deviceId: null, ...chosen })
    const viewer = await world.asKey(key.secret).call(`{ viewer { apiKey { ${RULES} } } }`)
    expect(fieldOf(viewer)).toMatchObject({ apiKey: { access: 'READ_ONLY', ...chosen } })
    expect((await rowOf(world, key)).rulesVersion).toBe(2)
    const [event] = eventsOf(await peopleAs(acme.call).audit())
    expect(event?.details).toBe(
      `key ${key.id}; access READ_ONLY; only from 127.0.0.0/8; not before ${notBefore}; requests a second 50; requests a day 1000`,
    )
  })

  it.for<[string, object, { code: string; field?: string }]>([
    ['an unknown access', { access: 'ROOT' }, { code: 'BAD_USER_INPUT' }],
    [
      'a network that is none',
      { allowedNetworks: ['10.0.0.0/33'] },
      { code: 'BAD_USER_INPUT', field: 'allowedNetworks' },
    ],
    ['0 requests', { requestsPerSecond: 0 }, { code: 'BAD_USER_INPUT', field: 'requestsPerSecond' }],
    ['a negative number', { requestsPerDay: -1 }, { code: 'BAD_USER_INPUT', field: 'requestsPerDay' }],
    ['too many requests', { requestsPerSecond: 10_001 }, { code: 'BAD_USER_INPUT', field: 'requestsPerSecond' }],
    ['no such device', { access: 'CHECK_IN', deviceId: 'none' }, { code: 'NOT_FOUND', field: 'deviceId' }],
    [
      'a life of no time',
      { notBefore: '2030-01-02T00:00:00Z', expiresAt: '2030-01-02T00:00:00Z' },
      { code: 'BAD_USER_INPUT', field: 'notBefore' },
    ],
  ])('is refused with %s, and nothing is generated', async ([_what, input, error], { world, acme }) => {
    const generate = 'mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { secret } }'
    expect(errorOf(await acme.call(generate, { input }))).toMatchObject(error)
    expect(
      await world.database.read.selectFrom('apiKey').select('id').where('organizationId', '=', acme.id).execute(),
    ).toEqual([])
  })

  it('is bound to a device of this organization, and only with the access CHECK_IN', async ({ world, acme, ada }) => {
    const other = await world.organization('Other', { admin: ada })
    const generate = 'mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { secret } }'
    const foreign = { access: 'CHECK_IN', deviceId: await aDevice(other, 'foreign') }
    expect(errorOf(await acme.call(generate, { input: foreign }))).toEqual({ code: 'NOT_FOUND', field: 'deviceId' })
    const own = { access: 'DEVICES', deviceId: await aDevice(acme, 'own') }
    expect(errorOf(await acme.call(generate, { input: own }))).toEqual({ code: 'BAD_USER_INPUT', field: 'deviceId' })
  })
})

describe('C10: a key with the access CHECK_IN', () => {
  it('checks in and reads any device by its id', async ({ world, acme }) => {
    const [id, key] = [await aDevice(acme, 'one'), await acme.generateKey({ access: 'CHECK_IN' })]
    expect(fieldOf(await checkIn(world, key, id))).toEqual({ id, name: 'one' })
    const read = await world.asKey(key.secret).call('query ($id: ID!) { device(id: $id) { name status } }', { id })
    expect(fieldOf(read)).toEqual({ name: 'one', status: 'ONLINE' })
  })

  it('that is bound to a device does nothing with another, and the answer is the same for one that does not exist', async ({
    world,
    acme,
  }) => {
    const [own, other] = [await aDevice(acme, 'own'), await aDevice(acme, 'other')]
    const key = await acme.generateKey({ access: 'CHECK_IN', deviceId: own })
    expect(await shown(acme, key)).toMatchObject({ deviceId: own, device: { name: 'own' } })
    expect(codesOf(await checkIn(world, key, own))).toEqual([])
    const refused = await checkIn(world, key, other)
    expect(codesOf(refused)).toEqual(['FORBIDDEN'])
    const messageOf = ({ errors }: Answer) => errors.map(({ code, message }) => [code, message])
    expect(messageOf(await checkIn(world, key, 'none'))).toEqual(messageOf(refused))
    const read = (id: string) => world.asKey(key.secret).call('query ($id: ID!) { device(id: $id) { name } }', { id })
    expect(messageOf(await read(other))).toEqual(messageOf(refused))
    expect(codesOf(await read(own))).toEqual([])
    const seen = await world.database.read.selectFrom('device').select('lastSeenAt').where('id', '=', other).execute()
    expect(seen).toEqual([{ lastSeenAt: null }])
  })

  it('checks in nothing once its device is deleted, and says so', async ({ world, acme }) => {
    const id = await aDevice(acme, 'gone')
    const key = await acme.generateKey({ access: 'CHECK_IN', deviceId: id })
    await acme.call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id })
    expect(codesOf(await checkIn(world, key, id))).toEqual(['NOT_FOUND'])
    expect(await shown(acme, key)).toMatchObject({ deviceId: id, device: null })
  })
})

describe('C10: the networks, moment and limits of one key', () => {
  const statusFrom = async (world: World, { secret }: TestKey, from: string) =>
    (await world.post('/graphql', { query: ASK }, { headers: { 'api-secret': secret, 'x-forwarded-for': from } }))
      .status

  it('both the policy and the key must allow an address, and a change of one leaves the other', async ({
    world,
    acme,
  }) => {
    const key = await acme.generateKey({ allowedNetworks: ['10.1.0.0/16', '192.0.2.0/24'] })
    await acme.call('mutation { setApiKeyPolicy(input: { allowedNetworks: ["10.0.0.0/8"] }) { maxKeys } }')
    const statuses = () =>
      Promise.all(['10.1.2.3', '10.2.2.3', '192.0.2.1', '::ffff:10.1.0.1'].map((ip) => statusFrom(world, key, ip)))
    expect(await statuses()).toEqual([200, 403, 403, 200])
    expect(codesOf(await update(acme, key, { allowedNetworks: ['10.2.0.0/16'] }))).toEqual([])
    expect(await statuses()).toEqual([403, 200, 403, 403])
    await acme.call('mutation { setApiKeyPolicy(input: { allowedNetworks: null, rejectBrowsers: true }) { maxKeys } }')
    expect(await shown(acme, key)).toMatchObject({ allowedNetworks: ['10.2.0.0/16'] })
    expect(codesOf(await update(acme, key, { allowedNetworks: null }))).toEqual([])
    expect(await statuses()).toEqual([200, 200, 200, 200])
    expect(await rowOf(world, key)).toEqual({ rules: '{"noBrowser":true}', rulesVersion: 1 })
  })

  it('before its moment it is refused with that moment, and accepted from then on', async ({ world, acme }) => {
    const from = world.database.now() + HOUR
    const key = await acme.generateKey({ notBefore: new Date(from).toISOString() })
    const { status, errors } = await world.asKey(key.secret).call(ASK)
    expect([status, errors]).toMatchObject([
      403,
      [
        {
          code: 'FORBIDDEN',
          message: `This API key is not accepted yet: it is accepted from ${new Date(from).toISOString()} on.`,
        },
      ],
    ])
    await update(acme, key, { notBefore: new Date(world.database.now()).toISOString() })
    expect(await world.accepts(key.secret)).toBe(true)
  })
})

describe('C10: updateApiKey', () => {
  it('what is absent stays, null clears, and an equal value is no event', async ({ acme }) => {
    const key = await acme.generateKey({ access: 'DEVICES', requestsPerDay: 5, allowedNetworks: ['127.0.0.1'] })
    expect(fieldOf(await update(acme, key, { requestsPerSecond: 7 }))).toMatchObject({
      access: 'DEVICES',
      allowedNetworks: ['127.0.0.1/32'],
      requestsPerSecond: 7,
      requestsPerDay: 5,
    })
    expect(fieldOf(await update(acme, key, { access: null, requestsPerDay: null, allowedNetworks: [] }))).toMatchObject(
      {
        access: 'ADMIN',
        allowedNetworks: [],
        requestsPerSecond: 7,
        requestsPerDay: null,
      },
    )
    const events = async () => eventsOf(await peopleAs(acme.call).audit())
    const before = await events()
    expect(before[0]).toMatchObject({
      action: 'API_KEY_UPDATED',
      details: `requests a second 7, was access DEVICES; only from 127.0.0.1/32; requests a second 7; requests a day 5; key ${key.id}`,
    })
    await update(acme, key, { requestsPerSecond: 7 })
    expect(await events()).toEqual(before)
  })

  it.for<[string, unknown]>([
    ['allowedNetworks', ['127.0.0.1/32']],
    ['notBefore', '2026-01-01T00:00:00.000Z'],
    ['requestsPerSecond', 7],
    ['requestsPerDay', 11],
  ])('a change of %s leaves everything else, the binding to a device too', async ([field, value], { acme }) => {
    const deviceId = await aDevice(acme, 'bound')
    const chosen = { allowedNetworks: ['127.0.0.0/8'], notBefore: '2025-01-01T00:00:00.000Z', requestsPerSecond: 5 }
    const all = { access: 'CHECK_IN', deviceId, ...chosen, requestsPerDay: 10 }
    const key = await acme.generateKey(all)
    expect(fieldOf(await update(acme, key, { [field]: value }))).toMatchObject({ ...all, [field]: value })
    expect(await shown(acme, key)).toMatchObject({ ...all, [field]: value })
    expect(fieldOf(await update(acme, key, { [field]: null }))).toMatchObject({
      ...all,
      [field]: field === 'allowedNetworks' ? [] : null,
    })
  })

  it('refuses what a new key may not have: a device of another organization or access, and a life of no time', async ({
    world,
    acme,
    ada,
  }) => {
    const other = await world.organization('Other', { admin: ada })
    const day = '2030-01-02T00:00:00.000Z'
    const key = await acme.generateKey({ access: 'CHECK_IN', expiresAt: day })
    const before = await rowOf(world, key)
    const refused = async (input: object) => errorOf(await update(acme, key, input))
    const [foreign, own] = [await aDevice(other, 'foreign'), await aDevice(acme, 'own')]
    expect(await refused({ deviceId: foreign })).toEqual({ code: 'NOT_FOUND', field: 'deviceId' })
    const unbindable = { code: 'BAD_USER_INPUT', field: 'deviceId' }
    expect(await refused({ access: 'READ_ONLY', deviceId: own })).toEqual(unbindable)
    expect(await refused({ notBefore: day })).toEqual({ code: 'BAD_USER_INPUT', field: 'notBefore' })
    expect(await refused({ requestsPerDay: 1_000_000_001 })).toMatchObject({ code: 'BAD_USER_INPUT' })
    expect(await rowOf(world, key)).toEqual(before)
    expect(fieldOf(await update(acme, key, { requestsPerDay: 1_000_000_000 }))).toMatchObject({
      requestsPerDay: 1_000_000_000,
    })
  })

  it('another access takes the binding to a device away', async ({ acme }) => {
    const key = await acme.generateKey({ access: 'CHECK_IN', deviceId: await aDevice(acme, 'bound') })
    expect(fieldOf(await update(acme, key, { access: 'READ_ONLY' }))).toMatchObject({
      access: 'READ_ONLY',
      deviceId: null,
    })
  })

  it('holds for the next call on every replica, as long as it stands', async ({ world, acme, key }) => {
    const replica = await startWorld({ beside: world })
    const codes = async () => [
      codesOf(await world.asKey(key.secret).call('{ apiKeys { totalCount } }')),
      codesOf(await replica.asKey(key.secret).call('{ apiKeys { totalCount } }')),
    ]
    for (let n = 0; n < 5; n++) {
      await update(acme, key, { access: 'DEVICES' })
      expect(await codes()).toEqual([['FORBIDDEN'], ['FORBIDDEN']])
      await update(acme, key, { access: 'READ_ONLY' })
      expect(await codes()).toEqual([[], []])
    }
    await replica.close()
  })

  it('a rotation passes the rules on to the new key', async ({ world, acme }) => {
    const rules = { access: 'DEVICES', allowedNetworks: ['127.0.0.0/8'], requestsPerDay: 9 }
    const old = await acme.generateKey(rules)
    const rotate = `mutation ($id: ID!) { rotateApiKey(id: $id) { secret apiKey { id ${RULES} } } }`
    const { apiKey } = fieldOf<{ apiKey: { id: string } }>(await acme.call(rotate, { id: old.id }))
    expect(apiKey).toMatchObject(rules)
    expect((await rowOf(world, apiKey)).rulesVersion).toBe(2)
  })

  it('works where API keys are disabled', async ({ acme, key }) => {
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    expect(codesOf(await update(acme, key, { access: 'READ_ONLY' }))).toEqual([])
  })
})

describe('C10, C13: an invitation by a key', () => {
  it('is refused while its key is narrowed, and accepted when it is not', async ({ world, acme, key }) => {
    const invite = 'mutation { inviteUser(input: { email: "new@example.com" }) { link } }'
    const { link } = fieldOf<{ link: string }>(await world.asKey(key.secret).call(invite))
    const token = link.split('#')[1]
    const accept = () =>
      world.post('/auth/accept-invitation', { token, name: 'New', password: 'a long enough passphrase' })
    await update(acme, key, { access: 'READ_ONLY' })
    expect((await accept()).status).not.toBe(200)
    await update(acme, key, { access: 'ADMIN' })
    expect((await accept()).status).toBe(200)
  })
})
