import { expect } from 'vitest'
import { inWorld } from '../../../test/support/fixtures.ts'
import { startWorld, type World } from '../../../test/support/world.ts'

const LIBRARY = 'application/json, */*;q=0.1' // the same wish in words that only the library reads

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
  ['a query', { query: '{ devices { data { id name } } }' }],
  ['with variables', { query: 'query ($n: Int) { devices(first: $n) { data { id } } }', variables: { n: 3 } }],
  ['with variables that are null', { query: '{ viewer { role } }', variables: null, operationName: null }],
  ['with extensions', { query: '{ viewer { role } }', extensions: {} }],
  ['one of two operations', { query: TWO, operationName: 'B' }],
  ['an empty operationName', { query: '{ viewer { role } }', operationName: '' }],
  ['neither of two operations', { query: TWO }],
  ['no such operation', { query: TWO, operationName: 'C' }],
  [
    'a variable that does not fit',
    { query: 'query ($n: Int) { devices(first: $n) { data { id } } }', variables: { n: 'x' } },
  ],
  ['a variable that is missing', { query: 'query ($id: ID!) { device(id: $id) { id } }' }],
  ['a page that is too large', { query: '{ devices(first: 9999) { data { id } } }' }],
  ['a refusal', { query: '{ device(id: "nothing") { id } }' }],
  ['a refused mutation', { query: 'mutation { createDevice(input: { name: "" }) { id } }' }],
  ['no GraphQL', { query: '{ devices' }],
  ['no such field', { query: '{ nothing }' }],
  ['a subscription', { query: 'subscription { nothing }' }],
  ['too deep', { query: `{ ${'a { '.repeat(12)} b ${'}'.repeat(12)} }` }],
  ['introspection', { query: '{ __schema { queryType { name } } }' }],
  ['no query', { variables: {} }],
  ['a query that is a number', { query: 1 }],
  ['variables that are a list', { query: '{ viewer { role } }', variables: [] }],
  ['variables that are a text', { query: '{ viewer { role } }', variables: 'x' }],
  ['an operationName that is a number', { query: '{ viewer { role } }', operationName: 1 }],
  ['extensions that are a text', { query: '{ viewer { role } }', extensions: 'x' }],
  ['a list', [{ query: '{ viewer { role } }' }]],
  ['null', null],
  ['a text', 'query'],
])('%s gets the same answer as from the library', async ([_what, body], { world, secret }) => {
  const text = JSON.stringify(body)
  const expected = await post(world, secret, text, { accept: LIBRARY })
  for (const accept of ['*/*', 'application/json']) {
    for (let i = 0; i < 3; i++) expect(await post(world, secret, text, { accept })).toEqual(expected) // as a new document, then as a known one
  }
  expect(await post(world, secret, text, { accept: '*/*', 'content-type': 'application/json; charset=utf-8' })).toEqual(
    expected,
  )
})

it('invalid JSON and other content types get the same answer as from the library', async ({ world, secret }) => {
  for (const body of ['', '{', '{"query":"{ viewer { role } }"', '\u0000']) {
    expect(await post(world, secret, body, { accept: '*/*' })).toEqual(
      await post(world, secret, body, { accept: LIBRARY }),
    )
  }
  const query = JSON.stringify({ query: '{ viewer { role } }' })
  for (const type of ['text/plain', 'application/graphql', 'application/json; charset=latin1']) {
    const headers = { 'content-type': type }
    expect(await post(world, secret, query, { ...headers, accept: '*/*' })).toEqual(
      await post(world, secret, query, { ...headers, accept: LIBRARY }),
    )
  }
})

it('a mutation runs once, whichever way it is refused or answered', async ({ world, secret }) => {
  const count = async () => (await world.asKey(secret).call('{ devices { totalCount } }')).data
  expect(await count()).toEqual({ devices: { totalCount: 0 } })
  const create = (name: string) =>
    JSON.stringify({ query: `mutation { createDevice(input: { name: "${name}" }) { id } }` })
  for (const [i, accept] of ['*/*', LIBRARY, '*/*', LIBRARY].entries()) {
    expect((await post(world, secret, create(`d-${i}`), { accept })).text).not.toContain('errors')
    expect((await post(world, secret, create(`d-${i}`), { accept })).text).toContain('CONFLICT')
  }
  expect(await count()).toEqual({ devices: { totalCount: 4 } })
})
