import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import type { Answer } from '../../../test/support/world/http.ts'
import { codesOf, fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import type { StoredRules } from '../../caller/key-rules.ts'

type Rules = Pick<StoredRules, 'networks' | 'noBrowser'>

const MINE = { allowedNetworks: ['127.0.0.0/8'], requestsPerSecond: 100, requestsPerDay: 1000 }
const RULES = 'id access allowedNetworks requestsPerSecond requestsPerDay'
const GENERATE = `mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { apiKey { ${RULES} } } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { ${RULES} } }`
const INVITE = 'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link } }'
const SET_POLICY = 'mutation { setApiKeyPolicy(input: { rejectBrowsers: false }) { rejectBrowsers } }'

const it = inOrganization(startWorld)

/** A key with the whole access, from one network and with limits. */
async function restricted(world: World, acme: TestOrganization) {
  const key = await acme.generateKey(MINE)
  return { key, call: world.asKey(key.secret).call }
}

/** As the policy leaves it in the row of the key. */
async function withRules({ database }: World, key: TestKey, rules: Rules): Promise<TestKey> {
  const set = { rules: JSON.stringify(rules) }
  await database.transaction((db) => db.updateTable('apiKey').set(set).where('id', '=', key.id).execute())
  return key
}

const refusal = ({ errors }: Answer) => errors.map(({ code, field }) => [code, field])

const WIDER: [string, object][] = [
  ['allowedNetworks', { ...MINE, allowedNetworks: null }],
  ['allowedNetworks', { ...MINE, allowedNetworks: [] }],
  ['allowedNetworks', { ...MINE, allowedNetworks: ['126.0.0.0/7'] }],
  ['allowedNetworks', { ...MINE, allowedNetworks: ['127.0.0.1', '::1'] }],
  ['requestsPerSecond', { ...MINE, requestsPerSecond: 101 }],
  ['requestsPerSecond', { ...MINE, requestsPerSecond: null }],
  ['requestsPerDay', { ...MINE, requestsPerDay: 1001 }],
  ['requestsPerDay', { ...MINE, requestsPerDay: null }],
]

describe('C10: a restricted key never makes a wider one', () => {
  it('one that it generates has its restrictions, unless narrower ones are chosen', async ({ world, acme }) => {
    const { call } = await restricted(world, acme)
    const generate = async (input?: object) => fieldOf<{ apiKey: object }>(await call(GENERATE, { input })).apiKey
    expect(await generate()).toMatchObject({ access: 'ADMIN', ...MINE })
    const narrower = { access: 'DEVICES', allowedNetworks: ['127.0.0.1/32'], requestsPerSecond: 1, requestsPerDay: 1 }
    expect(await generate(narrower)).toMatchObject(narrower)
  })

  it.for(WIDER)('by %s', async ([field, input], { world, acme }) => {
    const { call } = await restricted(world, acme)
    const before = await world.database.read.selectFrom('apiKey').select('id').orderBy('id').execute()
    expect(refusal(await call(GENERATE, { input }))).toEqual([['FORBIDDEN', field]])
    expect(await world.database.read.selectFrom('apiKey').select('id').orderBy('id').execute()).toEqual(before)
  })
})

describe('C10: a restricted key never widens itself or another one', () => {
  it.for(WIDER)('by %s', async ([field, { ...input }], { world, acme }) => {
    const { key, call } = await restricted(world, acme)
    const other = await acme.generateKey(MINE)
    for (const { id } of [key, other])
      expect(refusal(await call(UPDATE, { id, input }))).toEqual([['FORBIDDEN', field]])
  })

  it.for<[string, object, object]>([
    ['access', { access: 'READ_ONLY' }, { access: 'ADMIN' }],
    ['access', { access: 'READ_ONLY' }, { access: null }],
    ['access', { access: 'CHECK_IN' }, { access: 'DEVICES' }],
    ['access', { access: 'READ_ONLY' }, { access: 'CHECK_IN' }],
    ['notBefore', { notBefore: '2030-01-01T00:00:00Z' }, { notBefore: null }],
    ['notBefore', { notBefore: '2030-01-01T00:00:00Z' }, { notBefore: '2029-01-01T00:00:00Z' }],
    ['allowedNetworks', { allowedNetworks: ['127.0.0.1'] }, { allowedNetworks: ['127.0.0.0/8'] }],
    ['requestsPerDay', { requestsPerDay: 10 }, { requestsPerDay: 11 }],
  ])('in %s, not even as far as its own go: %j to %j', async ([field, before, input], { world, acme }) => {
    const { call } = await restricted(world, acme)
    const other = await acme.generateKey(before)
    expect(refusal(await call(UPDATE, { id: other.id, input }))).toEqual([['FORBIDDEN', field]])
    expect(codesOf(await acme.call(UPDATE, { id: other.id, input }))).toEqual([])
  })

  it('nor the device that one is bound to', async ({ world, acme }) => {
    const create = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
    const [own, other] = [await acme.call(create, { name: 'own' }), await acme.call(create, { name: 'other' })]
    const deviceIds = [own, other].map((answer) => fieldOf<{ id: string }>(answer).id)
    const bound = await acme.generateKey({ access: 'CHECK_IN', deviceId: deviceIds[0] })
    const free = await acme.generateKey({ access: 'CHECK_IN' })
    const { call } = await restricted(world, acme)
    for (const deviceId of [null, deviceIds[1]])
      expect(refusal(await call(UPDATE, { id: bound.id, input: { deviceId } }))).toEqual([['FORBIDDEN', 'deviceId']])
    expect(codesOf(await call(UPDATE, { id: free.id, input: { deviceId: deviceIds[0] } }))).toEqual([])
  })

  it.for<[string, Rules]>([
    ['networks', { networks: ['127.0.0.0/8'] }],
    ['browsers', { noBrowser: true }],
  ])(
    'nor does one that its policy restricts, here in %s, while one without restrictions may',
    async ([, rules], { world, acme, key }) => {
      const bound = await withRules(world, await acme.generateKey(), rules)
      const { id } = await acme.generateKey({ access: 'READ_ONLY' })
      const widen = (secret: string) => world.asKey(secret).call(UPDATE, { id, input: { access: 'ADMIN' } })
      expect(refusal(await widen(bound.secret))).toEqual([['FORBIDDEN', 'access']])
      expect(codesOf(await widen(key.secret))).toEqual([])
    },
  )

  it.for([{ allowedNetworks: ['127.0.0.0/8'] }, { requestsPerSecond: 100 }, { requestsPerDay: 1000 }])(
    'nor does one with this restriction alone, neither by itself nor by the policy: %j',
    async (input, { world, acme }) => {
      const { secret } = await acme.generateKey(input)
      const { id } = await acme.generateKey({ access: 'READ_ONLY' })
      const { call } = world.asKey(secret)
      expect(refusal(await call(UPDATE, { id, input: { access: 'ADMIN' } }))).toEqual([['FORBIDDEN', 'access']])
      expect(codesOf(await call(SET_POLICY))).toEqual(['FORBIDDEN'])
      expect(codesOf(await call(INVITE, { input: { email: 'new@example.com', role: 'ADMIN' } }))).toEqual(['FORBIDDEN'])
    },
  )

  it('nor by the policy, which applies to all keys', async ({ world, acme, key }) => {
    const { call } = await restricted(world, acme)
    expect(codesOf(await call(SET_POLICY))).toEqual(['FORBIDDEN'])
    expect(codesOf(await world.asKey(key.secret).call(SET_POLICY))).toEqual([])
  })

  it('it narrows itself and others, and leaves one that is wider as wide as it is', async ({ world, acme }) => {
    const { key, call } = await restricted(world, acme)
    const wide = await acme.generateKey({ requestsPerDay: 5000 })
    expect(codesOf(await call(UPDATE, { id: wide.id, input: { requestsPerSecond: 200 } }))).toEqual([])
    expect(codesOf(await call(UPDATE, { id: wide.id, input: { requestsPerDay: 4000 } }))).toEqual([])
    expect(codesOf(await call(UPDATE, { id: wide.id, input: { requestsPerDay: 4001 } }))).toEqual(['FORBIDDEN'])
    expect(codesOf(await call(UPDATE, { id: key.id, input: { requestsPerDay: 10 } }))).toEqual([])
    expect(codesOf(await call(UPDATE, { id: key.id, input: { requestsPerDay: 11 } }))).toEqual(['FORBIDDEN'])
  })

  it('one that narrows itself cannot undo it in the same request', async ({ world, acme }) => {
    const key = await acme.generateKey()
    const both = `mutation ($id: ID!) { a: updateApiKey(id: $id, input: { access: READ_ONLY }) { access }
      b: updateApiKey(id: $id, input: { access: ADMIN }) { access } }`
    const answer = await world.asKey(key.secret).call(both, { id: key.id })
    expect([answer.data, codesOf(answer)]).toEqual([{ a: { access: 'READ_ONLY' }, b: null }, ['FORBIDDEN']])
  })
})

describe('C10: a restricted key gets no secret of a wider one, and resumes none', () => {
  const ROTATE = 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }'

  it.for<[string, object | undefined, string[]]>([
    ['without restrictions', undefined, ['FORBIDDEN']],
    ['of another network', { ...MINE, allowedNetworks: ['10.0.0.0/8'] }, ['FORBIDDEN']],
    ['with a higher limit', { ...MINE, requestsPerDay: 1001 }, ['FORBIDDEN']],
    ['with the same restrictions', MINE, []],
    ['with more', { ...MINE, access: 'READ_ONLY', allowedNetworks: ['127.0.0.1'] }, []],
  ])('a key %s', async ([_what, input, codes], { world, acme }) => {
    const { call } = await restricted(world, acme)
    const other = await acme.generateKey(input)
    await acme.call('mutation ($id: ID!) { pauseApiKey(id: $id) { id } }', { id: other.id })
    expect(
      codesOf(await call('mutation ($id: ID!) { pauseApiKey(id: $id, seconds: 1) { id } }', { id: other.id })),
    ).toEqual(codes)
    await acme.call('mutation ($id: ID!) { pauseApiKey(id: $id) { id } }', { id: other.id })
    expect(codesOf(await call('mutation ($id: ID!) { resumeApiKey(id: $id) { id } }', { id: other.id }))).toEqual(codes)
    expect(codesOf(await call(ROTATE, { id: other.id }))).toEqual(codes)
  })

  it('nor does it give a wider one the label without which that one is refused', async ({ world, acme, key }) => {
    await world.database.transaction((db) =>
      db.updateTable('apiKey').set({ rules: '{"unlabelled":true}', labelled: 0 }).where('id', '=', key.id).execute(),
    )
    const rename = 'mutation ($id: ID!) { renameApiKey(id: $id, label: "accepted again") { id } }'
    const { call } = await restricted(world, acme)
    expect(codesOf(await call(rename, { id: key.id }))).toEqual(['FORBIDDEN'])
    expect(codesOf(await world.asKey(key.secret).call('{ viewer { role } }'))).not.toEqual([])
    expect(codesOf(await acme.call(rename, { id: key.id }))).toEqual([])
    expect(codesOf(await call(rename.replace('again', 'once more'), { id: key.id }))).toEqual([])
  })

  it('it rotates itself, and the new key has its restrictions', async ({ world, acme }) => {
    const { key, call } = await restricted(world, acme)
    const rotate = `mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { ${RULES} } } }`
    expect(fieldOf(await call(rotate, { id: key.id }))).toMatchObject({ apiKey: MINE })
  })

  it.for<[string, Rules]>([
    ['networks', { networks: ['127.0.0.0/8'] }],
    ['browsers', { noBrowser: true }],
  ])('%s that its policy restricts count as well', async ([, rules], { world, acme }) => {
    const exempt = await acme.generateKey()
    const bound = await withRules(world, await acme.generateKey(), rules)
    const { call } = world.asKey(bound.secret)
    expect(codesOf(await call(ROTATE, { id: exempt.id }))).toEqual(['FORBIDDEN'])
    expect(codesOf(await call(ROTATE, { id: bound.id }))).toEqual([])
  })
})

describe('C10: a restricted key makes nobody an Admin, who could make wider keys', () => {
  const ACCEPT = '/auth/accept-invitation'

  it('by an invitation, or by the role of a member', async ({ world, acme, bob }) => {
    const { call } = await restricted(world, acme)
    const invite = (role: string) => call(INVITE, { input: { email: 'new@example.com', role } })
    expect(codesOf(await invite('ADMIN'))).toEqual(['FORBIDDEN'])
    expect(codesOf(await invite('MEMBER'))).toEqual([])
    const promote = 'mutation ($id: ID!) { changeUserRole(userId: $id, role: ADMIN) { id } }'
    expect(codesOf(await call(promote, { id: bob.userId }))).toEqual(['FORBIDDEN'])
  })

  it('nor by an invitation from before it was restricted', async ({ world, acme, key }) => {
    const input = { email: 'late@example.com', role: 'ADMIN' }
    const { link } = fieldOf<{ link: string }>(await world.asKey(key.secret).call(INVITE, { input }))
    expect(codesOf(await acme.call(UPDATE, { id: key.id, input: { requestsPerDay: 1000 } }))).toEqual([])
    const body = { token: link.split('#')[1], name: 'Late', password: 'a long enough passphrase' }
    expect((await world.post(ACCEPT, body)).status).not.toBe(200)
  })
})
