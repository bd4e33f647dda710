import { describe, expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { refusalOf } from '../../../test/support/world/people.ts'
import { PASSWORD, startWorld, type World } from '../../../test/support/world/world.ts'

const ROUTES = [
  '/auth/sign-up',
  '/auth/sign-in',
  '/auth/sign-out',
  '/auth/change-password',
  '/auth/forgot-password',
  '/auth/reset-password',
  '/auth/invitation',
  '/auth/accept-invitation',
]

const it = inWorld(startWorld)

describe('answers to bad input at /auth', () => {
  it('wrong content type: 415', async ({ world }) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      for (const path of ROUTES) {
        const answer = await world.post(path, '{"email":"a"}', { headers: { 'content-type': type } })
        expect(refusalOf(answer), `${path} ${type}`).toMatchObject({ status: 415, code: 'BAD_REQUEST' })
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
    }
  })

  it('not JSON, or not an object: 400', async ({ world }) => {
    for (const body of [
      '{',
      '',
      '[]',
      '"text"',
      'null',
      '[{"email":"a@example.com"}]',
      '{"__proto__":{"email":"a"}}',
    ]) {
      const answer = await world.post('/auth/sign-in', body)
      expect(refusalOf(answer), body).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
    }
  })

  it('more than 8 KiB: 413', async ({ world }) => {
    for (const path of ROUTES) {
      const answer = await world.post(path, { email: 'x'.repeat(8 * 1024) })
      expect(refusalOf(answer), path).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
    }
  })

  it('a field that is missing or not text: 400 with its name', async ({ world }) => {
    for (const [path, field] of [
      ['/auth/sign-in', 'email'],
      ['/auth/sign-up', 'email'],
      ['/auth/forgot-password', 'email'],
      ['/auth/reset-password', 'token'],
      ['/auth/invitation', 'token'],
      ['/auth/accept-invitation', 'token'],
    ] as const) {
      for (const body of [{}, { [field]: 7 }, { [field]: null }, { [field]: {} }]) {
        expect(refusalOf(await world.post(path, body))).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', field })
      }
    }
  })

  it('a refusal has the shape of all errors, with the request id', async ({ world }) => {
    const { body, headers } = await world.post('/auth/sign-in', { email: 'a@example.com', password: 'wrong' })
    expect(body).toEqual({
      errors: [
        {
          message: 'Email address or password is wrong.',
          extensions: { code: 'UNAUTHENTICATED', requestId: expect.stringMatching(/.{6,}/) },
        },
      ],
    })
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })
})

describe('requests from other sites', () => {
  const post = (world: World, headers: Record<string, string>, at = world) =>
    at.post('/auth/sign-in', { email: 'a@example.com', password: PASSWORD }, { headers })
  const REFUSED = { status: 403, code: 'FORBIDDEN', message: 'Requests from other sites are refused.' }

  it('are refused by Sec-Fetch-Site, before anything else', async ({ world }) => {
    for (const site of ['cross-site', 'same-site', 'garbage']) {
      expect(refusalOf(await post(world, { 'sec-fetch-site': site }))).toEqual(REFUSED)
    }
    for (const site of ['same-origin', 'none']) expect((await post(world, { 'sec-fetch-site': site })).status).toBe(401)
    for (const path of ROUTES) {
      expect(refusalOf(await world.post(path, '{', { headers: { 'sec-fetch-site': 'cross-site' } }))).toEqual(REFUSED)
    }
  })

  it('are refused by their origin: another host, another port, or null', async ({ world }) => {
    const port = new URL(world.url).port
    for (const origin of ['https://evil.example', `http://127.0.0.1:${Number(port) + 1}`, 'null', 'garbage']) {
      expect(refusalOf(await post(world, { origin })), origin).toEqual(REFUSED)
    }
    expect((await post(world, { origin: world.url })).status).toBe(401)
  })

  it('with BASE_URL, only its origin is accepted; with https the cookie is Secure and bound to the host', async ({
    world,
  }) => {
    const secure = await startWorld({ env: { BASE_URL: 'https://portal.example.com' } })
    expect(refusalOf(await post(world, { origin: secure.url }, secure))).toEqual(REFUSED)
    expect(refusalOf(await post(world, { origin: 'http://portal.example.com' }, secure))).toEqual(REFUSED)
    const body = { email: 'ada@example.com', name: 'Ada', password: PASSWORD }
    const headers = { origin: 'https://portal.example.com' }
    const { headers: answered, cookie = '' } = await secure.post('/auth/sign-up', body, { headers })
    expect(answered.getSetCookie()[0]).toMatch(
      /^__Host-portal-session=ems_\w{49}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const { status } = await secure.post('/portal/graphql', { query: '{ viewer { role } }' }, { cookie, headers })
    expect(status).toBe(200)
    const bare = cookie.replace('__Host-', '')
    expect((await secure.post('/portal/graphql', { query: '{ viewer { role } }' }, { cookie: bare })).status).toBe(401)
    await secure.close()
  })
})

it('no password, token or cookie is ever logged', async () => {
  const loud = await startWorld({ env: { LOG_LEVEL: 'trace' } })
  const ada = await loud.signUp('Ada')
  await loud.post('/auth/sign-in', { email: ada.email, password: 'a wrong passphrase' })
  await loud.post('/auth/reset-password', { token: 'emr_garbage', password: PASSWORD })
  await loud.post('/auth/sign-in', `{"password":"${PASSWORD}"`)
  const logged = loud.logged().join('')
  expect(logged).toContain('/auth/sign-in')
  for (const secret of [PASSWORD, 'a wrong passphrase', ada.cookie.split('=')[1] ?? '', 'emr_garbage']) {
    expect(logged).not.toContain(secret)
  }
  await loud.close()
})
