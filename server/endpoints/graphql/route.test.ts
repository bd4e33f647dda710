import { serverAudits } from 'graphql-http'
import { describe, expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { type Person, startWorld, type TestKey, type World } from '../../../test/support/world/world.ts'
import { mintSecret } from '../../secrets/secret.ts'

const it = inWorld(startWorld)

const QUERY = '{ devices { data { id name } } }'

/** One raw request to /graphql; its body as it came. */
async function send(world: World, init: RequestInit & { headers?: Record<string, string> }, path = '/graphql') {
  const response = await fetch(`${world.url}${path}`, init)
  const text = await response.text()
  const body = JSON.parse(text) as {
    data?: unknown
    errors?: { message: string; extensions: Record<string, unknown> }[]
  }
  return {
    status: response.status,
    body,
    headers: response.headers,
    codes: body.errors?.map((error) => error.extensions['code']),
  }
}
const withKey = (key: TestKey, headers: Record<string, string> = {}) => ({
  'content-type': 'application/json',
  'api-secret': key.secret,
  ...headers,
})
const post = (world: World, key: TestKey, body: string, headers?: Record<string, string>) =>
  send(world, { method: 'POST', headers: withKey(key, headers), body })

it('A1, A4: a POST with a JSON object returns the result of its query', async ({ world, key }) => {
  const mine = world.asKey(key.secret)
  await mine.call('mutation { createDevice(input: { name: "edge-1" }) { id } }')
  const { status, body, headers } = await post(world, key, JSON.stringify({ query: QUERY }))

  expect(status).toBe(200)
  expect(body).toEqual({ data: { devices: { data: [{ id: expect.any(String), name: 'edge-1' }] } } })
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
})

describe('A2, A5, C4: a key is required on every request, also for introspection', () => {
  const body = JSON.stringify({ query: '{ __schema { queryType { name } } }' })
  const json = { 'content-type': 'application/json' }
  const cases: [string, (given: { ada: Person; key: TestKey }) => Record<string, string>, string, RegExp][] = [
    ['none', () => ({}), 'UNAUTHENTICATED', /api-secret header/],
    ['an empty one', () => ({ 'api-secret': '' }), 'UNAUTHENTICATED', /api-secret header/],
    ['a malformed one', () => ({ 'api-secret': 'hunter2' }), 'API_KEY_INVALID', /not accepted/],
    [
      'one with a typing mistake',
      ({ key }) => ({ 'api-secret': `${key.secret.slice(0, -1)}~` }),
      'API_KEY_INVALID',
      /not accepted/,
    ],
    ['one that never was', () => ({ 'api-secret': mintSecret('emp_') }), 'API_KEY_INVALID', /not accepted/],
    ['a session cookie', ({ ada }) => ({ cookie: ada.cookie }), 'UNAUTHENTICATED', /api-secret header/],
    [
      'a key in Authorization',
      ({ key }) => ({ authorization: `Bearer ${key.secret}` }),
      'UNAUTHENTICATED',
      /not in Authorization/,
    ],
    ['a key in x-api-key', ({ key }) => ({ 'x-api-key': key.secret }), 'UNAUTHENTICATED', /not in x-api-key/],
    [
      'a session in place of a key',
      ({ ada }) => ({ 'api-secret': ada.cookie.split('=')[1] ?? '' }),
      'API_KEY_INVALID',
      /not accepted/,
    ],
  ]
  for (const [what, headers, code, words] of cases) {
    it(`${what} is refused with 401`, async ({ world, ada, key }) => {
      const answer = await send(world, { method: 'POST', headers: { ...json, ...headers({ ada, key }) }, body })

      expect([answer.status, answer.codes]).toEqual([401, [code]])
      expect(answer.body.errors?.[0]?.message).toMatch(words)
      expect(answer.body.errors?.[0]?.extensions['requestId']).toEqual(expect.any(String))
      expect(answer.headers.get('www-authenticate')).toBe('ApiKey realm="portal"')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('set-cookie')).toBeNull()
    })
  }

  it('a key in the URL is not accepted', async ({ world, key }) => {
    const path = `/graphql?query={__typename}&api-secret=${key.secret}`
    expect((await send(world, { method: 'GET' }, path)).codes).toEqual(['UNAUTHENTICATED'])
  })

  it('a malformed, an unknown and a revoked key get exactly the same answer', async ({ world, acme }) => {
    const revoked = await acme.generateKey()
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: revoked.id })
    const answers = await Promise.all(
      ['hunter2', mintSecret('emp_'), revoked.secret].map(async (secret) => {
        const { status, body: answer } = await send(world, {
          method: 'POST',
          headers: { ...json, 'api-secret': secret },
          body,
        })
        for (const error of answer.errors ?? []) delete error.extensions['requestId']
        return { status, answer }
      }),
    )
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })
})

it('never reads a cookie: a key with a cookie of another organization works as before', async ({
  world,
  ada,
  acme,
  key,
}) => {
  const { body } = await post(
    world,
    key,
    JSON.stringify({ query: '{ viewer { user { id } organization { slug } } }' }),
    {
      cookie: ada.cookie,
      'portal-organization': ada.personalSlug,
    },
  )
  expect(body.data).toEqual({ viewer: { user: null, organization: { slug: acme.slug } } })
})

describe('the protocol', () => {
  it('passes all 61 audits of graphql-http', async ({ world, key }) => {
    const audits = serverAudits({
      url: `${world.url}/graphql`,
      fetchFn: (url: string, init?: { headers?: Record<string, string> }) =>
        fetch(url, { ...init, headers: { ...init?.headers, 'api-secret': key.secret } }),
    })
    const results = await Promise.all(audits.map((audit) => audit.fn()))

    expect(results).toHaveLength(61)
    expect(results.filter((result) => result.status !== 'ok')).toEqual([])
  })

  it('accepts queries by GET, and refuses a mutation by GET with 405 and a hint at POST', async ({ world, key }) => {
    const headers = withKey(key)
    expect((await send(world, { method: 'GET', headers }, `/graphql?query=${encodeURIComponent(QUERY)}`)).status).toBe(
      200,
    )
    const mutation = encodeURIComponent('mutation { generateApiKey { secret } }')
    const refused = await send(world, { method: 'GET', headers }, `/graphql?query=${mutation}`)
    expect([refused.status, refused.codes, refused.headers.get('allow')]).toEqual([405, ['BAD_REQUEST'], 'POST'])
  })

  it('refuses other methods with 405', async ({ world, key }) => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      expect((await send(world, { method, headers: withKey(key), body: '{}' })).status, method).toBe(405)
    }
  })
})

describe('answers to bad input', () => {
  const cases: [string, [body: string, headers?: Record<string, string>], number, string][] = [
    ['not JSON', ['{'], 400, 'BAD_REQUEST'],
    ['an empty body', [''], 400, 'BAD_REQUEST'],
    ['a list (batching is off)', [JSON.stringify([{ query: QUERY }])], 400, 'BAD_REQUEST'],
    ['no query', ['{}'], 400, 'BAD_REQUEST'],
    ['a number as query', ['{"query":1}'], 400, 'BAD_REQUEST'],
    ['a list as query', ['{"query":["{ viewer { role } }"]}'], 400, 'BAD_REQUEST'],
    ['variables that are no object', [JSON.stringify({ query: QUERY, variables: 'x' })], 400, 'BAD_REQUEST'],
    ['another content type', [QUERY, { 'content-type': 'application/graphql' }], 415, 'BAD_REQUEST'],
    ['a form', ['query=x', { 'content-type': 'application/x-www-form-urlencoded' }], 415, 'BAD_REQUEST'],
    ['an Accept that cannot be met', [JSON.stringify({ query: QUERY }), { accept: 'image/png' }], 406, 'BAD_REQUEST'],
    ['more than 256 KiB', [`{"query":"${' '.repeat(258 * 1024)}"}`], 413, 'PAYLOAD_TOO_LARGE'],
  ]
  for (const [what, sent, status, code] of cases) {
    it(`${what}: ${status}`, async ({ world, key }) => {
      const answer = await post(world, key, ...sent)
      expect([answer.status, answer.codes]).toEqual([status, [code]])
      expect(answer.body.errors?.[0]?.extensions['requestId']).toEqual(expect.any(String))
    })
  }

  it('an invalid document is reported with its location', async ({ world, key }) => {
    expect((await post(world, key, JSON.stringify({ query: '{ devices {' }))).body.errors).toMatchObject([
      { extensions: { code: 'GRAPHQL_PARSE_FAILED' }, locations: [{ line: 1, column: 12 }] },
    ])
    expect((await post(world, key, JSON.stringify({ query: '{ gadgets { id } }' }))).body.errors).toMatchObject([
      {
        message: expect.stringContaining('"gadgets"'),
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
        locations: [{ line: 1, column: 3 }],
      },
    ])
  })

  it('an invalid variable is named', async ({ world, key }) => {
    const query = 'query ($first: Int) { devices(first: $first) { data { id } } }'
    for (let time = 0; time < 3; time++) {
      const { body } = await post(world, key, JSON.stringify({ query, variables: { first: 'ten' } }))
      expect(body.errors).toMatchObject([
        { message: expect.stringContaining('$first'), extensions: { code: 'BAD_USER_INPUT' } },
      ])
    }
  })

  it('a subscription, an unknown operationName, and a missing one have different messages', async ({ world, key }) => {
    const ask = (query: string, operationName?: string) => post(world, key, JSON.stringify({ query, operationName }))
    for (const answer of [
      await ask('subscription { x }'),
      await ask('query A { viewer { role } }', 'B'),
      await ask('query A { viewer { role } } query B { viewer { role } }'),
    ]) {
      expect(answer.codes).toEqual(['GRAPHQL_VALIDATION_FAILED'])
    }
    expect((await ask('query A { viewer { role } } query B { rateLimit { cost } }', 'A')).body.data).toEqual({
      viewer: { role: 'ADMIN' },
    })
  })
})

it('logs no secret, no cookie and no password, whatever is sent', async ({ world, ada, key }) => {
  const typo = `${key.secret.slice(0, -2)}zz`
  await send(world, {
    method: 'POST',
    headers: { 'api-secret': typo, cookie: ada.cookie, 'content-type': 'text/plain' },
    body: key.secret,
  })
  await send(world, { method: 'GET', headers: { 'api-secret': typo } }, `/graphql?query=${key.secret}`)
  await send(world, { method: 'GET' }, `/no/such/${key.secret}`)
  const lines = world.logged()

  expect(lines.length).toBeGreaterThan(3)
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
  const all = lines.join('')
  for (const secret of [key.secret, typo, ada.cookie.split('=')[1] ?? '?', ada.password])
    expect(all).not.toContain(secret)
})
