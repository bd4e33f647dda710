import { describe, expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { startWorld } from '../../../test/support/world/world.ts'

const it = inWorld(() => startWorld({ env: { RATE_LIMIT: 'off' } }))

/** How long a refusal may be with its headers, whatever was sent: ten errors of GraphQL are the longest. */
const MAX_BYTES = 6_000
/** The answer of each item of a call for many, which is paid by the item. */
const MAX_BYTES_OF_ITEM = 800
/** CPU time of client and server, for the longest body. */
const MAX_CPU_MS = 250

const LONG = 'x'.repeat(200_000)
const ZEROS = Array.from({ length: 9_000 }, () => 0)
const KEYS = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`k${i}`, 'x'.repeat(400)]))
const many = <Item>(item: Item, count = 500) => Array.from({ length: count }, () => item)
/** In an order that is sorted for a normal form. */
const marks = (length: number) => `a${'\u0301'.repeat(length / 2 - 1)}${'\u0323'.repeat(length / 2)}`

const FILTER = 'query ($filter: DeviceFilter) { devices(filter: $filter) { data { id } } }'
const CREATE = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
const CREATES =
  'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { errors { message } } } }'
const HOOK = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }'
const KEY = 'mutation ($input: GenerateApiKeyInput!) { generateApiKey(input: $input) { secret } }'

type Sent = [what: string, query: string, variables?: object, others?: object]

const OPERATIONS: Sent[] = [
  ['a document with a long name', `{ ${LONG.slice(0, 15_000)} }`],
  ['a document with a long string', `{ device(id: 1, "${LONG.slice(0, 15_000)}") }`],
  ['a document that is a long string', `"${LONG.slice(0, 15_000)}"`],
  [
    'unknown fields',
    `{ ${many('viewer { devicesX }', 20)
      .map((f, i) => f.replace('X', `${'y'.repeat(700)}${i}`))
      .join(' ')} }`,
  ],
  ['a value that is a list', `{ devices(first: [${'0,'.repeat(900)}0]) { data { id } } }`],
  [
    'values that are long',
    `{ ${Array.from({ length: 10 }, (_, i) => `a${i}: devices(first: "${LONG.slice(0, 1_400)}") { data { id } }`).join(' ')} }`,
  ],
  ['an argument that is long', `{ device(${LONG.slice(0, 14_000)}: 1) { id } }`],
  ['fragments of fragments', `{ ${Array.from({ length: 10 }, (_, i) => `...${'f'.repeat(1_000)}${i}`).join(' ')} }`],
  [
    'variables with long names',
    `query (${Array.from({ length: 10 }, (_, i) => `$${'v'.repeat(1_000)}${i}: Int`).join(' ')}) { viewer { role } }`,
  ],
  ['a variable of a long type', `query ($a: ${LONG.slice(0, 14_000)}) { devices(first: $a) { data { id } } }`],
  ['a long directive', `{ viewer @${LONG.slice(0, 14_000)} { role } }`],
  ['an operationName that is long', '{ viewer { role } }', {}, { operationName: LONG }],
  ['a filter that is a list', FILTER, { filter: ZEROS }],
  ['a filter with other fields', FILTER, { filter: KEYS }],
  ['a filter with a long field', FILTER, { filter: { [LONG]: 1 } }],
  ['a filter with ids that are no texts', FILTER, { filter: { ids: ZEROS } }],
  ['a filter with ids that are objects', FILTER, { filter: { ids: many({ a: 1 }, 4_000) } }],
  ['a filter with names that are long', FILTER, { filter: { names: many('x'.repeat(400), 500) } }],
  ['a filter that is deep', FILTER, { filter: JSON.parse(`${'{"a":'.repeat(49)}1${'}'.repeat(49)}`) }],
  ['a filter that is a long text', FILTER, { filter: LONG }],
  ['other variables', '{ viewer { role } }', KEYS],
  ['a page size that is a long text', 'query ($n: Int) { devices(first: $n) { data { id } } }', { n: LONG }],
  ['a cursor that is long', 'query ($c: String) { devices(after: $c) { data { id } } }', { c: LONG }],
  [
    'a cursor that is a long list',
    'query ($c: String) { devices(after: $c) { data { id } } }',
    {
      c: Buffer.from(JSON.stringify(many('a', 2_000)))
        .toString('base64url')
        .slice(0, 8_000),
    },
  ],
  ['an id that is long', 'query ($id: ID!) { device(id: $id) { id } }', { id: LONG }],
  ['a device with a long name', CREATE, { input: { name: LONG } }],
  ['a device whose tags are numbers', CREATE, { input: { name: 'a', tags: ZEROS } }],
  ['a device with many tags', CREATE, { input: { name: 'a', tags: many('x'.repeat(200), 1_000) } }],
  ['a device with bad tags', CREATE, { input: { name: 'a', tags: many('', 9_000) } }],
  ['devices that are numbers', CREATES, { inputs: ZEROS.slice(0, 500) }],
  ['devices with other fields', CREATES, { inputs: many({ a: 1, b: 2, c: 3 }) }],
  [
    'devices with values of another type',
    CREATES,
    { inputs: many({ name: 1, description: 2, tags: 3, enabled: 'x' }) },
  ],
  ['devices whose descriptions are marks', CREATES, { inputs: many({ name: 'a', description: marks(8_000) }, 20) }],
  ['too many devices', CREATES, { inputs: many({ name: '' }, 3_000) }],
  ['a webhook with a long URL', HOOK, { input: { url: `https://x.example/${LONG}`, events: ['DEVICE_CREATED'] } }],
  [
    'a webhook with a long host',
    HOOK,
    { input: { url: `https://${'x.'.repeat(50_000)}example/`, events: ['DEVICE_CREATED'] } },
  ],
  ['a webhook with a long user', HOOK, { input: { url: `https://${LONG}@x.example/`, events: ['DEVICE_CREATED'] } }],
  ['a webhook with other events', HOOK, { input: { url: 'https://x.example/', events: many('X', 9_000) } }],
  ['a key with many networks', KEY, { input: { label: 'a', allowedNetworks: many('x', 9_000) } }],
  ['a key with a long network', KEY, { input: { label: 'a', allowedNetworks: [LONG] } }],
  ['extensions that are a list of names', '{ viewer { role } }', {}, { extensions: { dryRun: ZEROS } }],
  ['extensions with many names', '{ viewer { role } }', {}, { extensions: KEYS }],
]

/** What a request costs the thread in which client and server are, and how long the answer is. */
async function answerTo(url: string, init: RequestInit) {
  const before = process.threadCpuUsage()
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const { length } = await response.bytes()
  const { user, system } = process.threadCpuUsage(before)
  const headers = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return { status: response.status, bytes: length + headers, cpuMs: (user + system) / 1_000 }
}

type Answer = Awaited<ReturnType<typeof answerTo>>

const isShort = ({ bytes, cpuMs }: Answer) => bytes <= MAX_BYTES && cpuMs <= MAX_CPU_MS

const JSON_SENT = { 'content-type': 'application/json' }
const TYPES = ['application/json', 'application/graphql-response+json']

describe.for(['/graphql', '/portal/graphql'])('P12: %s answers in a few words', (path) => {
  it.for(OPERATIONS)(
    '%s',
    async ([_what, query, variables = {}, others = {}], { world, ada, acme, key: { secret } }) => {
      const portal = { cookie: ada.cookie, 'portal-organization': acme.slug }
      const own = path === '/graphql' ? { 'api-secret': secret } : portal
      const body = JSON.stringify({ query, variables, ...others })
      for (const accept of TYPES) {
        const headers = { ...JSON_SENT, accept, ...own }
        expect(await answerTo(`${world.url}${path}`, { method: 'POST', headers, body })).toSatisfy(isShort)
      }
    },
  )
})

it.for<[string, object]>([
  ['bad names', { name: '' }],
  ['several bad fields', { name: '', description: '\u0000', firmwareVersion: '\u0000', tags: ['\u0000', ''] }],
  ['bad tags', { name: '', tags: many('', 18) }],
  ['marks in a row', { name: 'a', description: marks(996) }],
])('P12: 500 items with %s are answered in a few words each', async ([_what, item], { world, key: { secret } }) => {
  const body = JSON.stringify({ query: CREATES, variables: { inputs: many(item) } })
  const headers = { ...JSON_SENT, 'api-secret': secret }
  const { bytes, cpuMs } = await answerTo(`${world.url}/graphql`, { method: 'POST', headers, body })
  expect(bytes).toBeLessThan(500 * MAX_BYTES_OF_ITEM)
  expect(cpuMs).toBeLessThan(MAX_CPU_MS)
})

const H = LONG.slice(0, 7_000)

const HEADERS: [string, Record<string, string>][] = [
  ['Accept', { accept: 'a/b;q=0.1,'.repeat(700) }],
  ['Accept with parameters', { accept: `application/json${';a=b'.repeat(1_700)}` }],
  ['Accept-Encoding', { 'accept-encoding': 'gzip;q=0.1,'.repeat(600) }],
  ['Content-Type with parameters', { 'content-type': `application/json; ${'a=b; '.repeat(1_300)}` }],
  ['Content-Type', { 'content-type': H }],
  ['Content-Encoding', { 'content-encoding': H }],
  ['Idempotency-Key', { 'idempotency-key': H }],
  ['Forwarded', { forwarded: 'for=1.2.3.4,'.repeat(500), 'x-forwarded-for': '1.2.3.4,'.repeat(500) }],
  ['Cookie', { cookie: 'a=b; '.repeat(1_400) }],
  ['a session', { cookie: `session=${H}` }],
  ['api-secret', { 'api-secret': H }],
  ['Authorization', { authorization: `Bearer ${H}` }],
  ['Origin', { origin: `https://${H}` }],
  ['Origin with dots', { origin: `https://a${'.'.repeat(14_000)}b` }],
  ['portal-organization', { 'portal-organization': H }],
  ['If-None-Match', { 'if-none-match': '"a",'.repeat(1_700) }],
  ['Range', { range: `bytes=${'0-1,'.repeat(1_700)}0-1` }],
  ['x-request-id', { 'x-request-id': H }],
  ['User-Agent', { 'user-agent': H }],
  ['headers of CORS', { origin: 'https://a.example', 'access-control-request-headers': 'a,'.repeat(3_000) }],
]

it.for([
  ['POST', '/graphql'],
  ['GET', '/graphql?query={viewer{role}}'],
  ['OPTIONS', '/graphql'],
  ['POST', '/portal/graphql'],
  ['POST', '/mcp'],
  ['POST', '/leaks'],
  ['POST', '/auth/sign-in'],
  ['POST', '/auth/accept-invitation'],
  ['GET', '/health/live'],
  ['GET', '/nothing'],
  ['GET', '/robots.txt'],
] as const)('P12: %s %s answers in a few words to long headers', async ([method, path], { world, key: { secret } }) => {
  for (const [name, hostile] of HEADERS) {
    const headers = { ...JSON_SENT, 'api-secret': secret, ...hostile }
    const body = method === 'POST' ? { body: '{"query":"{ gadgets }"}' } : {}
    expect(await answerTo(`${world.url}${path}`, { method, headers, ...body }), name).toSatisfy(isShort)
  }
})

const CONTROLS = '\u0000'.repeat(90)
const SHORTER = LONG.slice(0, 1_500)

const BODIES: [string, string][] = [
  ['no JSON', LONG],
  ['a list', JSON.stringify(ZEROS)],
  ['other fields', JSON.stringify(KEYS)],
  ['a text', JSON.stringify(LONG)],
  ['deep and without an end', '['.repeat(100_000)],
  ['deep', `${'['.repeat(3_000)}${']'.repeat(3_000)}`],
  ['names of prototypes', '{"__proto__":{"email":"a"},"constructor":{"prototype":{}}}'],
  ['long fields', JSON.stringify({ email: SHORTER, password: SHORTER, name: SHORTER, token: SHORTER })],
  [
    'lists as fields',
    JSON.stringify({ email: ZEROS.slice(0, 800), password: ZEROS.slice(0, 800), name: 1, token: {} }),
  ],
  ['controls in fields', JSON.stringify({ email: CONTROLS, password: CONTROLS, name: CONTROLS, token: CONTROLS })],
]

it.for([
  '/graphql',
  '/portal/graphql',
  '/mcp',
  '/leaks',
  '/auth/sign-up',
  '/auth/sign-in',
  '/auth/sign-out',
  '/auth/invitation',
  '/auth/accept-invitation',
  '/auth/reset-password',
  '/auth/forgot-password',
  '/auth/change-password',
  '/auth/verify-email',
  '/auth/nothing',
])('P12: %s answers in a few words to a hostile body', async (path, { world, key: { secret } }) => {
  const { cookie } = await world.signUp('Eve')
  for (const [what, body] of BODIES) {
    const headers = { ...JSON_SENT, 'api-secret': secret, cookie }
    expect(await answerTo(`${world.url}${path}`, { method: 'POST', headers, body }), what).toSatisfy(isShort)
  }
})

it.for([
  '/nothing',
  '/docs/',
  '/assets/',
  '/graphql/',
  '/auth/',
  '/invitations?',
  '/graphql?query=',
  '/graphql?variables=',
  '/graphql?extensions=',
  '/graphql?query={viewer{role}}&operationName=',
])('P12: an address that is long after %s is answered in a few words', async (path, { world, key: { secret } }) => {
  for (const accept of ['text/html', ...TYPES]) {
    const headers = { accept, 'api-secret': secret }
    expect(await answerTo(`${world.url}${path}${LONG.slice(0, 14_000)}`, { headers }), accept).toSatisfy(isShort)
  }
})
