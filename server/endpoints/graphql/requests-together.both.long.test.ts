import { expect } from 'vitest'
import {
  openConnections,
  type RawAnswer,
  type RawRequest,
  sendOn,
  sendOneByOne,
} from '../../../test/support/world/at-once.ts'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY } from '../../lib/clock.ts'
import { mintSecret } from '../../secrets/secret.ts'

const it = inOrganization(() => startWorld({ env: { TRUST_PROXY: 'on' } }))

const JSON_TYPE = { 'content-type': 'application/json' }
const READ = '{ devices(first: 20) { data { id name } } }'

const asking = ({ secret }: { secret: string }, body: unknown, headers = {}): RawRequest => ({
  headers: { ...JSON_TYPE, 'api-secret': secret, ...headers },
  body,
})
const reading = (key: { secret: string }, headers = {}) => asking(key, { query: READ }, headers)

/** Everything but what belongs to the single request: its id, the date and how much is left of a limit. */
function comparable({ status, headers, body }: RawAnswer) {
  const { date, 'x-request-id': id = '', ratelimit, 'content-length': length, ...others } = headers
  const text = body.toString('latin1').replaceAll(id, 'the id')
  return { status, headers: { ...others, hasId: id !== '', hasLimit: ratelimit !== undefined }, text }
}

async function addDevices(acme: TestOrganization, count = 30): Promise<string[]> {
  const add = Array.from({ length: count }, (_, i) => `d${i}: createDevice(input: { name: "Gerät-${i}" }) { id }`)
  const { data } = await acme.call(`mutation { ${add.slice(0, 20).join(' ')} }`)
  await acme.call(`mutation { ${add.slice(20).join(' ')} }`)
  return Object.values(data as Record<string, { id: string }>).map(({ id }) => id)
}

/** Keys of every kind: in the order in which they are made, with how each is used. */
async function everyKey(world: World, acme: TestOrganization): Promise<Record<string, { secret: string }>> {
  const make = (input: object) => acme.generateKey(input)
  const expired = await make({ label: 'expired', expiresAt: new Date(world.clock.now() + DAY).toISOString() })
  const paused = await make({ label: 'paused' })
  const rotated = await make({ label: 'rotated' })
  const revoked = await make({ label: 'revoked' })
  await world.database.transaction((db) =>
    db.updateTable('apiKey').set({ expiresAt: world.clock.now() }).where('id', '=', expired.id).execute(),
  )
  fieldOf(await acme.call(`mutation { pauseApiKey(id: "${paused.id}") { id } }`))
  fieldOf(await acme.call(`mutation { rotateApiKey(id: "${rotated.id}", overlapSeconds: 3600) { secret } }`))
  fieldOf(await acme.call(`mutation { revokeApiKey(id: "${revoked.id}") { ids } }`))
  return {
    valid: await make({ label: 'valid' }),
    other: await make({ label: 'other' }),
    readOnly: await make({ label: 'read', access: 'READ_ONLY' }),
    checkIn: await make({ label: 'check-in', access: 'CHECK_IN' }),
    elsewhere: await make({ label: 'elsewhere', allowedNetworks: ['10.0.0.0/8'] }),
    expired,
    paused,
    rotated,
    revoked,
    unknown: { secret: mintSecret('emp_') },
    malformed: { secret: 'emp_not-a-key' },
    none: { secret: '' },
  }
}

/** What one key may be used for, well and badly, without changing anything. */
function everyCall(key: { secret: string }, deviceId: string): RawRequest[] {
  const ask = (body: unknown, headers = {}) => asking(key, body, headers)
  const query = (text: string) => `/graphql?query=${encodeURIComponent(text)}`
  const named =
    'query A { devices { data { id } } } query B($n: Int) { list: devices(first: $n) { data { name status } } }'
  return [
    ask({ query: READ }),
    ask({ query: READ, variables: {} }),
    ask({ query: '{ all: devices { data { id: name } pageInfo { hasNextPage endCursor } } }' }),
    ask({ query: '{ devices { ...f } } fragment f on DeviceList { data { __typename tags } totalCount }' }),
    ask({ query: '{ devices(filter: { enabled: true }) { data { id } } }' }),
    ask({ query: named, operationName: 'A' }),
    ask({ query: named, operationName: 'B', variables: { n: 3 } }),
    ask({ query: named, operationName: 'B', variables: { n: 4 } }),
    ask({ query: named, operationName: 'B', variables: { n: 'three' } }),
    ask({ query: named, operationName: 'B', variables: { n: 0 } }),
    ask({ query: named }),
    ask({ query: 'query ($id: ID!) { device(id: $id) { name } }', variables: { id: deviceId } }),
    ask({ query: 'query ($id: ID!) { device(id: $id) { name } }', variables: { id: 'nothing' } }),
    ask({ query: '{ devices(first: 500) { data { id name tags } } }' }, { 'accept-encoding': 'gzip' }),
    ask({ query: '{ devices(after: "nonsense") { data { id } } }' }),
    ask({ query: '{ viewer { role apiKey { label } } rateLimit { remaining } }' }),
    ask({ query: '{ apiKeys { data { label } } }' }),
    ask({ query: '{ devices { nothing } }' }),
    ask({ query: '{ devices {' }),
    ask({ query: 'mutation { createDevice(input: { name: "Gerät-1" }) { id } }' }),
    ask({ query: READ, extensions: { dryRun: true } }),
    ask({ query: READ, extensions: { dryrun: true } }),
    ask({ query: READ }, { 'idempotency-key': 'the same' }),
    ask([{ query: READ }]),
    ask('not json'),
    ask(''),
    ask({ query: READ }, { 'content-type': 'text/plain' }),
    ask({ query: READ }, { 'content-encoding': 'gzip' }),
    ask({ query: READ }, { accept: 'application/graphql-response+json' }),
    ask({ query: READ }, { accept: 'text/html' }),
    ask({ query: READ }, { origin: 'https://elsewhere.example' }),
    ask({ query: READ }, { 'x-forwarded-for': '10.1.2.3' }),
    ask({ query: READ }, { 'api-secret': '', authorization: `Bearer ${key.secret}` }),
    { path: query(READ), method: 'GET', headers: { 'api-secret': key.secret } },
    { path: query(READ), method: 'HEAD', headers: { 'api-secret': key.secret } },
    { path: query('mutation { deleteDevice(id: "x") }'), method: 'GET', headers: { 'api-secret': key.secret } },
    { method: 'PUT', headers: { 'api-secret': key.secret } },
    { ...ask({ jsonrpc: '2.0', id: 1, method: 'ping' }), path: '/mcp' },
  ]
}

it('a request that arrives together with others is answered as if it had come alone', async ({ world, acme, key }) => {
  const [id = ''] = await addDevices(acme)
  const { other, revoked, ...used } = await everyKey(world, acme) // these two differ in nothing from others
  const sockets = await openConnections(world, 2 * everyCall(key, id).length)
  for (const [name, each] of Object.entries({ key, ...used })) {
    const calls = everyCall(each, id)
    const copies = [...calls, ...calls]
    if (each === key) for (let i = 0; i < 2; i++) await sendOn(sockets, copies) // then documents are known
    const alone = (await sendOneByOne(sockets, calls)).map(comparable)
    const together = (await sendOn(sockets, copies)).map(comparable)
    expect(together, name).toEqual([...alone, ...alone])
  }
})

it('nothing is shared between keys, or between places that a key is called from', async ({ world, acme, ada }) => {
  await addDevices(acme)
  const other = await world.organization('Other', { admin: ada })
  await other.call('mutation { createDevice(input: { name: "of-other" }) { id } }')
  const keys = await everyKey(world, acme)
  const own = [...Object.values(keys), await other.generateKey()].flatMap((key) => [
    reading(key),
    reading(key, { 'x-forwarded-for': '10.1.2.3' }),
    reading(key, { origin: 'https://elsewhere.example' }),
  ])
  const sockets = await openConnections(world, 2 * own.length)
  await sendOn(sockets, [...own, ...own])
  const alone = (await sendOneByOne(sockets, own)).map(comparable)
  for (const order of [own, own.toReversed()]) {
    const together = (await sendOn(sockets, [...order, ...order])).map(comparable)
    const expected = order === own ? alone : alone.toReversed()
    expect(together).toEqual([...expected, ...expected])
  }
  expect(alone.at(-1)?.text).toContain('of-other')
  expect(alone.slice(0, -3).some(({ text }) => text.includes('of-other'))).toBe(false)
})

it('a key that rejects browsers is refused with an Origin and accepted without one, in whatever order they arrive', async ({
  world,
  acme,
}) => {
  fieldOf(await acme.call('mutation { setApiKeyPolicy(input: { rejectBrowsers: true }) { rejectBrowsers } }'))
  const key = await acme.generateKey()
  const origins = [
    undefined,
    'https://elsewhere.example',
    undefined,
    undefined,
    'null',
    world.url,
    world.url,
    undefined,
  ]
  const sockets = await openConnections(world, origins.length)
  for (const order of [origins, origins.toReversed(), origins.toSorted()]) {
    const many = order.map((origin) => reading(key, origin === undefined ? {} : { origin }))
    const expected = order.map((origin) => (origin === undefined ? 200 : 403))
    expect((await sendOn(sockets, many)).map(({ status }) => status)).toEqual(expected)
  }
})

it('K10: once a revoke has returned, the next requests of the same connections are refused', async ({
  world,
  acme,
}) => {
  const sockets = await openConnections(world, 10)
  for (let i = 0; i < 5; i++) {
    const key = await acme.generateKey({ label: `${i}` })
    const many = sockets.map(() => reading(key))
    expect((await sendOn(sockets, many)).map(({ status }) => status)).toEqual(many.map(() => 200))
    fieldOf(await acme.call(`mutation { revokeApiKey(id: "${key.id}") { ids } }`))
    expect((await sendOn(sockets, many)).map(({ status }) => status)).toEqual(many.map(() => 401))
  }
})

it('each request is counted, logged and measured for itself', async ({ world, key }) => {
  const many = Array.from({ length: 10 }, () => reading(key))
  const answers = await sendOn(await openConnections(world, many.length), many)
  expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(many.length)
  const usage = () =>
    world.database.read.selectFrom('apiKeyUsage').select(['calls', 'errors']).where('keyId', '=', key.id).execute()
  await expect.poll(usage).toEqual([{ calls: many.length, errors: 0 }])
})
