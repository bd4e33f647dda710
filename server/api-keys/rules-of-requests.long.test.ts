import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { call, post } from '../../test/support/world/http.ts'
import { fieldOf } from '../../test/support/world/people.ts'
import { policyOfAdmin } from '../../test/support/world/policy.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../test/support/world/world.ts'

const it = inOrganization(startWorld).extend('behindProxy', { scope: 'file' }, async ({ world }, { onCleanup }) => {
  const behindProxy = await startWorld({ beside: world, env: { TRUST_PROXY: 'on' } })
  onCleanup(behindProxy.close)
  return behindProxy
})

const ASK = '{ viewer { apiKey { label } } }'

async function keyFrom(acme: TestOrganization, networks: string[]): Promise<TestKey> {
  await policyOfAdmin(acme.admin, acme).set({ allowedNetworks: networks })
  return acme.generateKey()
}

const statusFrom = async (at: World, { secret }: TestKey, forwardedFor: string) => {
  const { status } = await call(`${at.url}/graphql`, { 'api-secret': secret, 'x-forwarded-for': forwardedFor }, ASK)
  return status
}

describe('behind a trusted proxy, a key with allowed networks', () => {
  it.for<[string, number]>([
    ['10.1.2.3', 200],
    ['::ffff:10.1.2.3', 200],
    ['::ffff:a01:203', 200],
    ['2001:db8::1', 200],
    ['2001:DB8:0:0:ffff::1', 200],
    ['192.0.2.1', 403],
    ['::ffff:192.0.2.1', 403],
    ['2001:db9::1', 403],
    ['10.1.2.3:443', 403],
    ['unknown', 403],
    ['localhost', 403],
  ])('from %s is answered with %i', async ([address, status], { behindProxy, acme }) => {
    const key = await keyFrom(acme, ['10.0.0.0/8', '2001:db8::/32'])
    expect(await statusFrom(behindProxy, key, address)).toBe(status)
  })

  it('is refused with a message that says what to do', async ({ behindProxy, acme }) => {
    const { secret } = await keyFrom(acme, ['10.0.0.0/8'])
    const headers = { 'api-secret': secret, 'x-forwarded-for': '192.0.2.1' }
    expect(await call(`${behindProxy.url}/graphql`, headers, ASK)).toMatchObject({
      status: 403,
      data: undefined,
      errors: [
        {
          code: 'FORBIDDEN',
          message:
            'This API key is not accepted from this network. Ask an Admin to allow the address that you call from.',
          extensions: { requestId: expect.any(String) },
        },
      ],
    })
  })
})

it('without TRUST_PROXY, only the address of the connection counts', async ({ world, acme }) => {
  const key = await keyFrom(acme, ['10.0.0.0/8'])
  expect(await statusFrom(world, key, '10.1.2.3')).toBe(403)
  expect(await statusFrom(world, await keyFrom(acme, ['127.0.0.0/8']), '192.0.2.1')).toBe(200)
})

it('with the addresses of the proxies, headers from others are ignored', async ({ world, acme }) => {
  const key = await keyFrom(acme, ['10.0.0.0/8'])
  const elsewhere = await startWorld({ beside: world, env: { TRUST_PROXY: '192.0.2.200' } })
  expect(await statusFrom(elsewhere, key, '10.1.2.3')).toBe(403)
  await elsewhere.close()
  const nearby = await startWorld({ beside: world, env: { TRUST_PROXY: '127.0.0.1' } })
  expect(await statusFrom(nearby, key, '10.1.2.3')).toBe(200)
  expect(await statusFrom(nearby, key, '10.1.2.3, 192.0.2.1')).toBe(403) // the proxy has added the last
  await nearby.close()
})

describe('a key that rejects browsers', () => {
  it('is refused with any Origin header, and accepted without one', async ({ world, ada, acme }) => {
    await policyOfAdmin(ada, acme).set({ rejectBrowsers: true })
    const { secret } = await acme.generateKey()
    const statusWith = async (headers: Record<string, string>) =>
      (await call(`${world.url}/graphql`, { 'api-secret': secret, ...headers }, ASK)).status
    expect(await statusWith({})).toBe(200)
    expect(await statusWith({ origin: 'https://example.com' })).toBe(403)
    expect(await statusWith({ origin: world.url })).toBe(403)
    expect(await statusWith({ origin: 'null' })).toBe(403)
    expect(await statusWith({ 'sec-fetch-site': 'cross-site', referer: 'https://example.com' })).toBe(200)
  })

  it('K6: by default no key rejects browsers', async ({ world, acme }) => {
    const { secret } = await acme.generateKey()
    const headers = { 'api-secret': secret, origin: 'https://example.com' }
    expect((await call(`${world.url}/graphql`, headers, ASK)).status).toBe(200)
  })
})

it('a refusal comes before the body is read, takes no points of the rate limit, and does not mark the key as used', async ({
  world,
  acme,
}) => {
  const key = await keyFrom(acme, ['10.0.0.0/8'])
  const limited = await startWorld({ beside: world, env: { TRUST_PROXY: 'on', RATE_LIMIT: '2' } })
  const headers = { 'api-secret': key.secret, 'x-forwarded-for': '192.0.2.1' }
  for (let n = 0; n < 20; n++) {
    expect(await post(`${limited.url}/graphql`, 'this is no JSON'.repeat(20_000), { headers })).toMatchObject({
      status: 403,
    })
  }
  expect(await statusFrom(limited, key, '10.1.2.3')).toBe(200)
  await limited.close() // writes what was counted

  const after = await world.database.read
    .selectFrom('apiKey')
    .innerJoin('apiKeyUsage', 'apiKeyUsage.keyId', 'apiKey.id')
    .select(['lastUsedIp', 'calls', 'errors', 'seen'])
    .where('apiKey.id', '=', key.id)
    .execute()
  expect(after).toMatchObject([{ lastUsedIp: '10.1.2.3', calls: 1, errors: 20 }])
  expect(after[0]?.seen).not.toContain('192.0.2.1')
})

it('a key that was only refused counts as never used', async ({ world, acme }) => {
  const key = await keyFrom(acme, ['10.0.0.0/8'])
  const other = await startWorld({ beside: world })
  expect((await other.asKey(key.secret).call(ASK)).status).toBe(403)
  await other.close()
  const used = await acme.call(
    'query ($id: ID!) { apiKey(id: $id) { lastUsedAt lastUsedIp lastUsedUserAgent lastUsedOperation } }',
    { id: key.id },
  )
  expect(fieldOf(used)).toEqual({
    lastUsedAt: null,
    lastUsedIp: null,
    lastUsedUserAgent: null,
    lastUsedOperation: null,
  })
})

it('K10: a rule that is set on one replica applies on every other with the next call', async ({
  world,
  behindProxy,
  ada,
  acme,
}) => {
  const key = await acme.generateKey()
  const statuses = async () => [
    (await world.asKey(key.secret).call(ASK)).status,
    (await behindProxy.asKey(key.secret).call(ASK)).status,
  ]
  expect(await statuses()).toEqual([200, 200])
  for (let n = 0; n < 5; n++) {
    await policyOfAdmin(ada, acme).set({ allowedNetworks: ['10.0.0.0/8'] }, ['ALLOWED_NETWORKS'])
    expect(await statuses()).toEqual([403, 403])
    await policyOfAdmin(ada, acme).set({ allowedNetworks: [] })
    expect(await statuses()).toEqual([200, 200])
  }
})
