import { expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'

const JSON_UTF8 = 'application/json; charset=utf-8'

const it = inWorld(startWorld).extend('secret', ({ key }) => key.secret)

async function post(world: World, secret: string, body: string, headers: Record<string, string>) {
  const response = await fetch(`${world.url}/graphql`, {
    method: 'POST',
    headers: { 'api-secret': secret, 'content-type': 'application/json', ...headers },
    body,
  })
  const text = (await response.text()).replace(/"requestId":"[^"]+"/g, '"requestId":"…"')
  const { status } = response
  const [type, cache] = ['content-type', 'cache-control'].map((name) => response.headers.get(name))
  return { status, text, type, cache, retryAfter: response.headers.get('retry-after') }
}

const TWO = 'query A { viewer { role } } query B { organization { name } }'

it.for([
  ['a query', { query: '{ devices { data { id name } } }' }, '"data":{"devices":{"data":[]}}'],
  [
    'with variables',
    { query: 'query ($n: Int) { devices(first: $n) { data { id } } }', variables: { n: 3 } },
    '"data":{"devices":{"data":[]}}',
  ],
  [
    'with variables that are null',
    { query: '{ viewer { role } }', variables: null, operationName: null },
    '"data":{"viewer":{"role":"ADMIN"}}',
  ],
  ['with extensions', { query: '{ viewer { role } }', extensions: {} }, '"data":{"viewer":{"role":"ADMIN"}}'],
  ['one of two operations', { query: TWO, operationName: 'B' }, '"data":{"organization":{"name":"Acme"}}'],
  ['an empty operationName', { query: '{ viewer { role } }', operationName: '' }, '"data":{"viewer":{"role":"ADMIN"}}'],
  ['neither of two operations', { query: TWO }, 'GRAPHQL_VALIDATION_FAILED'],
  ['no such operation', { query: TWO, operationName: 'C' }, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a variable that does not fit',
    { query: 'query ($n: Int) { devices(first: $n) { data { id } } }', variables: { n: 'x' } },
    'BAD_USER_INPUT',
  ],
  ['a variable that is missing', { query: 'query ($id: ID!) { device(id: $id) { id } }' }, 'BAD_USER_INPUT'],
  ['a page that is too large', { query: '{ devices(first: 9999) { data { id } } }' }, 'BAD_USER_INPUT'],
  ['a refusal', { query: '{ device(id: "nothing") { id } }' }, 'NOT_FOUND'],
  ['a refused mutation', { query: 'mutation { createDevice(input: { name: "" }) { id } }' }, 'BAD_USER_INPUT'],
  ['no GraphQL', { query: '{ devices' }, 'GRAPHQL_PARSE_FAILED'],
  ['no such field', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
  ['a subscription', { query: 'subscription { nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
  ['too deep', { query: `{ ${'a { '.repeat(12)} b ${'}'.repeat(12)} }` }, 'QUERY_TOO_COMPLEX'],
  [
    'introspection',
    { query: '{ __schema { queryType { name } } }' },
    '"data":{"__schema":{"queryType":{"name":"Query"}}}',
  ],
  ['no query', { variables: {} }, 'Missing query'],
  ['a query that is a number', { query: 1 }, 'Invalid query'],
  ['variables that are a list', { query: '{ viewer { role } }', variables: [] }, 'Send variables as a JSON object'],
  ['variables that are a text', { query: '{ viewer { role } }', variables: 'x' }, 'Send variables as a JSON object'],
  ['an operationName that is a number', { query: '{ viewer { role } }', operationName: 1 }, 'Invalid operationName'],
  ['extensions that are a text', { query: '{ viewer { role } }', extensions: 'x' }, 'Send extensions as a JSON object'],
  ['a list', [{ query: '{ viewer { role } }' }], 'Batches are off'],
  ['null', null, 'JSON body must be an object'],
  ['a text', 'query', 'JSON body must be an object'],
])('%s is answered in one way', async ([_what, body, expected], { world, secret }) => {
  const text = JSON.stringify(body)
  const answer = await post(world, secret, text, { accept: '*/*' })
  const isRefused = answer.text.includes('"code":"BAD_REQUEST"')
  expect(answer.text).toContain(expected)
  expect(answer).toMatchObject({ status: isRefused ? 400 : 200, type: JSON_UTF8, cache: 'no-store' })
  const accepts = ['*/*', 'application/json', 'application/json, */*;q=0.1']
  for (const accept of accepts) expect(await post(world, secret, text, { accept })).toEqual(answer) // as a known document
  expect(await post(world, secret, text, { accept: '*/*', 'content-type': JSON_UTF8 })).toEqual(answer)
})

it.for<[string, string]>([
  ['', 'Missing body'],
  ['{', 'Unparsable JSON body'],
  ['{"query":"{ viewer { role } }"', 'Unparsable JSON body'],
  ['\u0000', 'Unparsable JSON body'],
])('%j is no JSON: %s', async ([body, message], { world, secret }) => {
  const { status, text } = await post(world, secret, body, {})
  expect([status, text]).toEqual([400, expect.stringContaining(message)])
})

it.for(['text/plain', 'application/graphql', 'application/json; charset=latin1'])(
  'another content type is refused: %s',
  async (type, { world, secret }) => {
    const query = JSON.stringify({ query: '{ viewer { role } }' })
    const { status, text } = await post(world, secret, query, { 'content-type': type })
    expect([status, text]).toEqual([415, expect.stringContaining('Send JSON, with Content-Type: application/json.')])
  },
)

it('in an address the first of each parameter counts, with the question marks in it', async ({ world, secret }) => {
  const address = `${world.url}/graphql?query={devices(search:"what?"){data{id}}}&query={nothing}`
  const response = await fetch(address, { headers: { 'api-secret': secret } })
  expect(await response.json()).toEqual({ data: { devices: { data: [] } } })
})

it('a mutation runs once, whichever way it is refused or answered', async ({ world, secret }) => {
  const count = async () => (await world.asKey(secret).call('{ devices { totalCount } }')).data
  expect(await count()).toEqual({ devices: { totalCount: 0 } })
  const create = (name: string) =>
    JSON.stringify({ query: `mutation { createDevice(input: { name: "${name}" }) { id } }` })
  for (const name of ['a', 'b']) {
    expect((await post(world, secret, create(name), {})).text).not.toContain('errors')
    expect((await post(world, secret, create(name), {})).text).toContain('CONFLICT')
  }
  expect(await count()).toEqual({ devices: { totalCount: 2 } })
})
