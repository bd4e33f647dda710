import { describe, expect, onTestFinished } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'

const APP = 'https://app.example.com'
const READ = JSON.stringify({ query: '{ viewer { role } }' })

const it = inWorld(() => startWorld({ env: { CORS_ORIGINS: `${APP},http://localhost:5173` } }))

const ask = (world: World, path: string, headers: Record<string, string>, method = 'POST') =>
  fetch(`${world.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: READ }),
  })

const preflight = (world: World, origin: string, path = '/graphql') =>
  ask(world, path, { origin, 'access-control-request-method': 'POST' }, 'OPTIONS')

const corsOf = ({ headers }: Response) => ({
  ...Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-'))),
  vary: headers.get('vary'),
})

const READABLE = {
  'access-control-allow-origin': APP,
  'access-control-expose-headers':
    'deprecation, idempotency-replayed, ratelimit, ratelimit-policy, retry-after, sunset, x-request-id',
  vary: 'Origin',
}

describe('with CORS_ORIGINS', () => {
  it('a preflight of such an origin is answered without a key, and allows what the API takes', async ({ world }) => {
    const answer = await preflight(world, APP)
    expect(answer.status).toBe(200)
    expect(corsOf(answer)).toEqual({
      ...READABLE,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers':
        'api-secret, content-type, idempotency-key, mcp-method, mcp-name, mcp-protocol-version',
      'access-control-max-age': '7200',
    })
    expect(corsOf(await preflight(world, 'http://localhost:5173'))['access-control-allow-origin' as never]).toBe(
      'http://localhost:5173',
    )
  })

  it('a page can read the answer, and a refusal too', async ({ world, key: { secret } }) => {
    const answer = await ask(world, '/graphql', { origin: APP, 'api-secret': secret })
    expect([answer.status, corsOf(answer)]).toEqual([200, READABLE])
    const byGet = await ask(world, '/graphql?query={viewer{role}}', { origin: APP, 'api-secret': secret }, 'GET')
    expect([byGet.status, corsOf(byGet)]).toEqual([200, READABLE])
    const refused = await ask(world, '/graphql', { origin: APP })
    expect([refused.status, corsOf(refused)]).toEqual([401, READABLE])
  })

  it.for([
    ['another origin', 'https://evil.example'],
    ['a part of the name', 'https://app.example.com.evil.example'],
    ['another scheme', 'http://app.example.com'],
    ['another port', 'https://app.example.com:8443'],
    ['a hidden one', 'null'],
  ] as const)('%s may do nothing', async ([, origin], { world, key: { secret } }) => {
    const asked = await preflight(world, origin)
    expect([asked.status, corsOf(asked)]).toEqual([403, { vary: 'Origin' }])
    expect(await asked.json()).toMatchObject({
      errors: [{ message: expect.stringContaining('CORS_ORIGINS'), extensions: { code: 'FORBIDDEN' } }],
    })
    const answer = await ask(world, '/graphql', { origin, 'api-secret': secret })
    expect([answer.status, corsOf(answer)]).toEqual([200, { vary: 'Origin' }])
  })

  it('a policy that rejects browsers still applies, and the page learns why', async ({ world, ada }) => {
    const strict = await world.organization('Strict', { admin: ada })
    const { secret } = await strict.generateKey()
    await strict.call('mutation { setApiKeyPolicy(input: { rejectBrowsers: true }) { rejectBrowsers } }')
    const refused = await ask(world, '/graphql', { origin: APP, 'api-secret': secret })
    expect([refused.status, corsOf(refused)]).toEqual([403, READABLE])
    expect(await refused.json()).toMatchObject({ errors: [{ message: expect.stringContaining('browser') }] })
  })

  it('everything that a session or a password is for stays closed, and cookies are never allowed', async ({
    world,
    ada,
  }) => {
    for (const path of ['/portal/graphql', '/auth/sign-in', '/health/live', '/metrics', '/leaks']) {
      const asked = await preflight(world, APP, path)
      const allowed = Object.keys(corsOf(asked)).filter((name) => name.startsWith('access-control-'))
      expect([path, allowed]).toEqual([path, []])
    }
    const asSession = await ask(world, '/portal/graphql', { origin: APP, cookie: ada.cookie })
    expect([asSession.status, corsOf(asSession)]).toEqual([403, { vary: null }])
    const answer = await ask(world, '/graphql', { origin: APP, cookie: ada.cookie })
    expect(answer.status).toBe(401)
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
  })

  it('a script without an Origin is answered as ever', async ({ world, key: { secret } }) => {
    const answer = await ask(world, '/graphql', { 'api-secret': secret })
    expect([answer.status, corsOf(answer)]).toEqual([200, { vary: 'Origin' }])
  })
})

it('CORS_ORIGINS=* lets every page call the API, and names no origin', async () => {
  const world = await startWorld({ env: { CORS_ORIGINS: '*' } })
  onTestFinished(world.close)
  for (const origin of [APP, 'https://evil.example', 'null']) {
    const asked = await preflight(world, origin)
    expect([asked.status, corsOf(asked)]).toMatchObject([200, { 'access-control-allow-origin': '*', vary: null }])
    expect(asked.headers.has('access-control-allow-credentials')).toBe(false)
  }
})

it('without CORS_ORIGINS no page of another origin can call the API', async () => {
  const world = await startWorld()
  onTestFinished(world.close)
  const asked = await preflight(world, APP)
  expect([asked.status, corsOf(asked)]).toEqual([401, { vary: null }])
})
