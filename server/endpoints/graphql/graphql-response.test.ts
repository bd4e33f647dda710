import { describe, expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'

/** As Apollo Client, urql and graphql-request send it. */
const ACCEPT = 'application/graphql-response+json,application/json;q=0.9'
const GRAPHQL = 'application/graphql-response+json; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
const READ = JSON.stringify({ query: '{ viewer { role } }' })

const it = inWorld(startWorld)

async function send(world: World, path: string, init: RequestInit & { headers?: Record<string, string> }) {
  const headers = { 'content-type': 'application/json', ...init.headers }
  const response = await fetch(`${world.url}${path}`, { method: 'POST', body: READ, ...init, headers })
  const body = (await response.json()) as { errors?: { message: string; extensions: { code: string } }[] }
  const [error] = body.errors ?? []
  const type = response.headers.get('content-type')
  return { status: response.status, type, code: error?.extensions.code, message: error?.message }
}

interface Given {
  secret: string
  cookie: string
}

const withKey = ({ secret }: Given) => ({ 'api-secret': secret })
const withCookie = ({ cookie }: Given) => ({ cookie })

type Case = [what: string, path: string, headers: (given: Given) => Record<string, string>, init: RequestInit]

const refusals: [...Case, status: number, code: string][] = [
  ['no key', '/graphql', () => ({}), {}, 401, 'UNAUTHENTICATED'],
  ['no such key', '/graphql', () => ({ 'api-secret': 'x' }), {}, 401, 'API_KEY_INVALID'],
  ['not JSON', '/graphql', withKey, { body: '{' }, 400, 'BAD_REQUEST'],
  ['a batch', '/graphql', withKey, { body: `[${READ}]` }, 400, 'BAD_REQUEST'],
  ['no query', '/graphql', withKey, { body: '{}' }, 400, 'BAD_REQUEST'],
  ['another method', '/graphql', withKey, { method: 'PUT' }, 405, 'BAD_REQUEST'],
  ['too large', '/graphql', withKey, { body: ' '.repeat(300_000) }, 413, 'PAYLOAD_TOO_LARGE'],
  ['no GraphQL', '/graphql', withKey, { body: '{"query":"{"}' }, 400, 'GRAPHQL_PARSE_FAILED'],
  ['not signed in', '/portal/graphql', () => ({}), {}, 401, 'UNAUTHENTICATED'],
  ['another site', '/portal/graphql', () => ({ origin: 'https://evil.example' }), {}, 403, 'FORBIDDEN'],
  [
    'no such organization',
    '/portal/graphql',
    (given) => ({ ...withCookie(given), 'portal-organization': 'none' }),
    {},
    404,
    'NOT_FOUND',
  ],
  ['not JSON', '/portal/graphql', withCookie, { body: '{' }, 400, 'BAD_REQUEST'],
  ['a batch', '/portal/graphql', withCookie, { body: `[${READ}]` }, 400, 'BAD_REQUEST'],
]

describe('C4: a refusal has the type that the client asks for, since it reads the code only then', () => {
  for (const [what, path, headersOf, init, status, code] of refusals) {
    it(`${path}, ${what}`, async ({ world, ada, key: { secret } }) => {
      const headers = headersOf({ secret, cookie: ada.cookie })
      const asked = await send(world, path, { ...init, headers: { ...headers, accept: ACCEPT } })
      expect(asked).toMatchObject({ status, code, type: GRAPHQL })
      const plain = await send(world, path, { ...init, headers: { ...headers, accept: 'application/json' } })
      expect(plain).toMatchObject({ code, type: JSON_TYPE })
    })
  }

  it('the type that the client wants most counts, for answers and refusals alike', async ({
    world,
    key: { secret },
  }) => {
    const types: [string, string][] = [
      ['application/json, application/graphql-response+json', JSON_TYPE],
      ['text/html, application/graphql-response+json', GRAPHQL],
      ['Application/GraphQL-Response+JSON', GRAPHQL],
      ['application/graphql-response+json;q=0.5, application/json', JSON_TYPE],
      ['application/json;q=0, application/graphql-response+json', GRAPHQL],
      ['*/*', JSON_TYPE],
    ]
    for (const [accept, type] of types) {
      expect(await send(world, '/graphql', { headers: { accept } }), accept).toMatchObject({ status: 401, type })
      const answered = await send(world, '/graphql', { headers: { accept, 'api-secret': secret } })
      expect(answered, accept).toMatchObject({ status: 200, type })
    }
  })

  it('a client that accepts neither is refused with words, in JSON', async ({ world, key: { secret } }) => {
    for (const accept of ['text/html', 'application/json;q=0', '*/*;q=0']) {
      const refused = await send(world, '/graphql', { headers: { accept, 'api-secret': secret } })
      expect(refused, accept).toMatchObject({
        status: 406,
        type: JSON_TYPE,
        message: expect.stringMatching(/^Accept application\/json or /),
      })
    }
  })
})

it('a batch is refused with words that say so, and what to do instead', async ({ world, ada, key: { secret } }) => {
  for (const [path, headers] of [
    ['/graphql', withKey({ secret, cookie: '' })],
    ['/portal/graphql', withCookie({ secret, cookie: ada.cookie })],
  ] as const) {
    for (const body of [`[${READ}]`, ` \n[${READ},${READ}]`, '[]']) {
      const refused = await send(world, path, { body, headers })
      expect(refused).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
      expect(refused.message).toMatch(/^Batches are off: POST one JSON object.*several fields into one operation/)
    }
  }
})

describe('a document by its hash alone (persisted queries), as Apollo Client and urql can send it', () => {
  const hash = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } }
  const inUrl = `/graphql?extensions=${encodeURIComponent(JSON.stringify(hash))}`
  const sent: [how: string, path: string, init: RequestInit][] = [
    ['POST', '/graphql', { body: JSON.stringify({ operationName: 'Role', variables: {}, extensions: hash }) }],
    ['GET', inUrl, { method: 'GET', body: null }],
  ]

  for (const [how, path, init] of sent) {
    it(`${how}: the answer makes them send the document`, async ({ world, key: { secret } }) => {
      const notSupported = { code: 'BAD_REQUEST', message: 'PersistedQueryNotSupported' }
      const asked = await send(world, path, { ...init, headers: { 'api-secret': secret, accept: ACCEPT } })
      expect(asked).toEqual({ ...notSupported, status: 400, type: GRAPHQL })
      const plain = await send(world, path, { ...init, headers: { 'api-secret': secret } })
      expect(plain).toEqual({ ...notSupported, status: 200, type: JSON_TYPE })
    })
  }

  it('a hash beside its document changes nothing', async ({ world, key: { secret } }) => {
    const body = JSON.stringify({ query: '{ viewer { role } }', extensions: hash })
    const answered = await send(world, '/graphql', { body, headers: { 'api-secret': secret } })
    expect(answered).toMatchObject({ status: 200, code: undefined })
  })
})

it('variables and extensions that are no objects are refused with words about them', async ({ world, key }) => {
  for (const accept of [ACCEPT, 'application/json']) {
    for (const part of ['variables', 'extensions']) {
      for (const value of [[], 'first']) {
        const body = JSON.stringify({ query: '{ viewer { role } }', [part]: value })
        const refused = await send(world, '/graphql', { body, headers: { 'api-secret': key.secret, accept } })
        expect(refused).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
        expect(refused.message).toMatch(new RegExp(`^Send ${part} as a JSON object such as`))
      }
    }
  }
})

describe('variables that do not fit are a request error: 400, and without data', () => {
  const query = 'query ($first: Int!) { devices(first: $first) { data { id } } }'
  const mutation = 'mutation ($id: ID!) { deleteDevice(id: $id) }'
  for (const path of ['/graphql', '/portal/graphql']) {
    for (const [what, asked] of [
      ['one is missing', { query }],
      ['one is null', { query, variables: { first: null } }],
      ['one has another type', { query, variables: { first: 'ten' } }],
      ['one of a mutation is missing', { query: mutation }],
      ['one of a dry run is missing', { query: mutation, extensions: { dryRun: true } }],
    ] as const) {
      it(`${path}: ${what}`, async ({ world, ada, key: { secret } }) => {
        const given = path === '/graphql' ? { 'api-secret': secret } : { cookie: ada.cookie }
        const body = JSON.stringify(asked)
        for (const [accept, status, type] of [
          [ACCEPT, 400, GRAPHQL],
          ['application/graphql-response+json', 400, GRAPHQL],
          ['application/json', 200, JSON_TYPE],
          ['text/html, application/json;q=0.9', 200, JSON_TYPE],
        ] as const) {
          const refused = await send(world, path, { body, headers: { ...given, accept } })
          expect(refused, accept).toMatchObject({ status, type, code: 'BAD_USER_INPUT' })
        }
      })
    }
  }
})
