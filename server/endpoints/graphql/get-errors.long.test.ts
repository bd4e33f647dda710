import { expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { startWorld } from '../../../test/support/world/world.ts'

const it = inWorld(startWorld)

/** What is wrong with a GET, and the status of it where the client asks for the type of GraphQL. */
const GETS: [what: string, url: string, status: number, code: string][] = [
  ['no query', '?', 400, 'BAD_REQUEST'],
  ['nothing at all', '', 400, 'BAD_REQUEST'],
  ['an empty query', '?query=', 400, 'GRAPHQL_PARSE_FAILED'],
  ['no GraphQL', '?query={', 400, 'GRAPHQL_PARSE_FAILED'],
  ['an unknown field', '?query={gadgets}', 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['no such operation', '?query={viewer{role}}&operationName=A', 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'the beginning of the document as its name',
    '?query={viewer{role}}&operationName=query',
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'several operations and no name',
    '?query=query A{viewer{role}} query B{viewer{role}}',
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['a fragment alone', '?query=fragment A on Viewer{role}', 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['a subscription', '?query=subscription{viewer{role}}', 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['a mutation', '?query=mutation{deleteDevice(id:"x")}', 405, 'BAD_REQUEST'],
  ['variables that are no JSON', '?query={viewer{role}}&variables={', 400, 'BAD_REQUEST'],
  ['variables that are a list', '?query={viewer{role}}&variables=[]', 400, 'BAD_REQUEST'],
  ['variables that are a text', '?query={viewer{role}}&variables="a"', 400, 'BAD_REQUEST'],
  ['variables that do not fit', '?query=query($n:Int!){devices(first:$n){data{id}}}', 400, 'BAD_USER_INPUT'],
  ['too many variables', `?query={viewer{role}}&variables=[${'0,'.repeat(2)}0]`, 400, 'BAD_REQUEST'],
  ['deep variables', `?query={viewer{role}}&variables=${'{"a":'.repeat(60)}0${'}'.repeat(60)}`, 400, 'BAD_USER_INPUT'],
  ['extensions that are no JSON', '?query={viewer{role}}&extensions=x', 400, 'BAD_REQUEST'],
  ['extensions that are a list', '?query={viewer{role}}&extensions=[]', 400, 'BAD_REQUEST'],
  ['a dry run that is a text', '?query={viewer{role}}&extensions={"dryRun":"yes"}', 400, 'BAD_REQUEST'],
  ['too much at once', '?query={apiKeys(first:500){data{usage{at}}}}', 400, 'QUERY_TOO_COMPLEX'],
  ['too deep', `?query=${'{devices'.repeat(12)}{id}${'}'.repeat(12)}`, 400, 'QUERY_TOO_COMPLEX'],
  ['an argument that does not fit', '?query={devices(first:0){data{id}}}', 200, 'BAD_USER_INPUT'],
]

interface Refused {
  errors: { extensions: { code: string; requestId: string } }[]
}

it.for(GETS)('each error of a GET has its code and the id of the request: %s', async (given, { world, key }) => {
  const [_what, search, status, code] = given
  const send = async (url: string, accept: string) => {
    const answer = await fetch(`${world.url}/graphql${encodeURI(url)}`, {
      headers: { 'api-secret': key.secret, accept },
    })
    const { errors = [] } = (await answer.json()) as Partial<Refused>
    const requestId = answer.headers.get('x-request-id')
    return {
      status: answer.status,
      codes: new Set(errors.map(({ extensions }) => extensions.code)),
      own: errors.every(({ extensions }) => extensions.requestId === requestId),
    }
  }
  await send('?query=query {viewer{role}}', 'application/json') // cached from here on
  const refused = { codes: new Set([code]), own: true }
  expect(await send(search, 'application/graphql-response+json')).toEqual({ ...refused, status })
  expect(await send(search, 'application/json')).toMatchObject(refused)
  expect(await send(search, 'text/html')).toEqual({ ...refused, codes: new Set(['BAD_REQUEST']), status: 406 })
})

it('another method than GET and POST is refused in the same shape, and on the portal a GET too', async ({
  world,
  ada,
  key,
}) => {
  const headers = { 'api-secret': key.secret, cookie: ada.cookie }
  for (const [path, methods] of [
    ['/graphql', ['OPTIONS', 'PUT', 'PATCH', 'DELETE']],
    ['/portal/graphql', ['GET', 'PUT', 'DELETE']],
  ] as const) {
    for (const method of methods) {
      const answer = await fetch(`${world.url}${path}?query={viewer{role}}`, { method, headers })
      const requestId = answer.headers.get('x-request-id')
      expect(answer.status, `${method} ${path}`).toBe(405)
      expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST', requestId } }] })
    }
  }
})

it.for(['variables={', 'extensions=x'])('what is no JSON in an address is named: %s', async (part, { world, key }) => {
  const url = `${world.url}/graphql?query={viewer{role}}&${part}`
  const answer = await fetch(encodeURI(url), { headers: { 'api-secret': key.secret } })
  const { errors } = (await answer.json()) as { errors: { message: string }[] }
  expect(errors.map(({ message }) => message)).toEqual([
    'The variables or extensions in the address are no JSON: send an object such as variables={"first":10}, percent-encoded.',
  ])
})
