import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../../test/support/world/world.ts'
import type { AppError } from '../lib/app-error.ts'
import { requireMetricsReader } from './metrics.ts'

const TOKEN = 'a token of more than 32 characters'.replaceAll(' ', '-')

const codeFor = (metricsToken: string | undefined, address: string, headers = {}) => {
  try {
    requireMetricsReader({ metricsToken }, { address, headers })
    return 'let in'
  } catch (error) {
    return (error as AppError).code // nothing else is thrown
  }
}

describe('without METRICS_TOKEN, metrics are for this machine only', () => {
  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('%s is accepted', (address) => {
    expect(codeFor(undefined, address)).toBe('let in')
  })

  it.each(['localhost:4000', 'localhost', 'LOCALHOST.:4000', '127.0.0.1:4000', '[::1]:4000', '127.8.9.1'])(
    'at the host %s it is accepted',
    (host) => {
      expect(codeFor(undefined, '127.0.0.1', { host })).toBe('let in')
    },
  )

  it.each(['rebound.example.com:4000', 'localhost.example.com', '127.0.0.1.example.com', '10.0.0.1:4000', 'a b', ''])(
    'a page that has pointed its own name at this machine is refused: %j',
    (host) => {
      for (const address of ['127.0.0.1', '::1']) expect(codeFor(undefined, address, { host })).toBe('FORBIDDEN')
    },
  )

  it.each(['10.0.0.1', '0.0.0.0', '::', '::ffff:10.0.0.1', 'fe80::1%eth0', ''])('%j is refused', (address) => {
    expect(codeFor(undefined, address)).toBe('FORBIDDEN')
  })

  it.each([
    'x-forwarded-for',
    'forwarded',
    'via',
    'x-real-ip',
    'x-forwarded-host',
    'x-forwarded-proto',
    'cf-connecting-ip',
  ])('a request through a proxy on this machine is refused: %s', (name) => {
    expect(codeFor(undefined, '127.0.0.1', { [name]: '127.0.0.1' })).toBe('FORBIDDEN')
  })
})

describe('with METRICS_TOKEN, metrics need the token', () => {
  it.each([`Bearer ${TOKEN}`, `bearer  ${TOKEN}`])(
    'accepts it from anywhere, also through a proxy: %s',
    (authorization) => {
      expect(codeFor(TOKEN, '203.0.113.7', { authorization, 'x-forwarded-for': '203.0.113.8' })).toBe('let in')
    },
  )

  it.each([undefined, '', 'Bearer', 'Bearer x', `Bearer ${TOKEN}x`, TOKEN, `Basic ${TOKEN}`, `Bearer ${TOKEN} x`])(
    'refuses any other, also on this machine: %j',
    (authorization) => {
      expect(codeFor(TOKEN, '127.0.0.1', { authorization })).toBe('UNAUTHENTICATED')
    },
  )
})

describe('/metrics', () => {
  let open: World
  let guarded: World
  beforeAll(async () => {
    open = await startWorld({ env: { TRUST_PROXY: 'on' } })
    guarded = await startWorld({ beside: open, env: { METRICS_TOKEN: TOKEN } })
  })
  afterAll(async () => {
    await guarded.close()
    await open.close()
  })
  const ask = async ({ url }: World, headers = {}) => {
    const answer = await fetch(`${url}/metrics`, { headers })
    return { status: answer.status, text: await answer.text(), challenge: answer.headers.get('www-authenticate') }
  }

  it('tells a refused caller what to do', async () => {
    expect((await ask(open)).status).toBe(200)
    expect(await ask(open, { 'x-forwarded-for': '127.0.0.1' })).toMatchObject({
      status: 403,
      text: expect.stringContaining('METRICS_TOKEN'),
    })
    expect(await ask(guarded)).toMatchObject({
      status: 401,
      text: expect.stringContaining('Authorization: Bearer'),
      challenge: 'Bearer realm="metrics"',
    })
    expect((await ask(guarded, { authorization: `Bearer ${TOKEN}` })).text).toContain('portal_http_requests_total')
  })
})
