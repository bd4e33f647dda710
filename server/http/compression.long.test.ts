import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { buildSchema } from 'graphql'
import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { PORTAL_SECRET } from '../../test/support/world/storage.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { createGraphql } from '../endpoints/graphql/answer.ts'
import type { RequestCtx } from '../graphql/builder.ts'
import { createLog } from '../lib/log.ts'

const it = inWorld(() => startWorld({ env: { CORS_ORIGINS: 'https://app.example.com' } }))

/** Its answer has about 20 KB. */
const LONG = '{ __schema { types { name description } } }'
const SHORT = '{ viewer { role } }'

const DECODED = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }

/** The bytes as they come: fetch would decompress them. */
function send(world: World, path: string, headers: Record<string, string>, query: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number | undefined
    encoding: string | undefined
    vary: string | undefined
    length: number
    body: Buffer
  }>()
  const all = { 'content-type': 'application/json', ...headers }
  request(`${world.url}${path}`, { method: 'POST', headers: all }, async (answer) => {
    const body = await buffer(answer)
    const { 'content-encoding': encoding, vary, 'content-length': length } = answer.headers
    resolve({ status: answer.statusCode, encoding, vary, length: Number(length), body })
  })
    .on('error', reject)
    .end(JSON.stringify({ query }))
  return promise
}

for (const accept of ['application/json', 'application/graphql-response+json']) {
  it(`a long answer is compressed as the client wants it, on both routes, for ${accept}`, async ({
    world,
    ada,
    key,
  }) => {
    for (const [path, who] of [
      ['/graphql', { 'api-secret': key.secret }],
      ['/portal/graphql', { cookie: ada.cookie }],
    ] as const) {
      const headers = { ...who, accept }
      const plain = await send(world, path, headers, LONG)
      expect(plain).toMatchObject({ status: 200, encoding: undefined, length: plain.body.length })
      expect(plain.vary).toMatch(/Accept-Encoding$/)
      for (const [encoding, decode] of Object.entries(DECODED)) {
        const small = await send(world, path, { ...headers, 'accept-encoding': encoding }, LONG)
        expect(small).toMatchObject({ status: 200, encoding, length: small.body.length })
        expect(small.body.length).toBeLessThan(plain.body.length / 2)
        expect(decode(small.body).equals(plain.body)).toBe(true)
      }
    }
  })
}

it('at equal weight br is chosen, then gzip: some clients ask for zstd and cannot read it', async ({ world, key }) => {
  for (const [accepted, encoding] of Object.entries({ 'zstd, gzip, deflate, br': 'br', 'zstd, gzip': 'gzip' })) {
    const headers = { 'api-secret': key.secret, 'accept-encoding': accepted }
    expect((await send(world, '/graphql', headers, LONG)).encoding).toBe(encoding)
  }
})

it('a short answer and a refusal are sent as they are', async ({ world, key }) => {
  const asked = { 'accept-encoding': 'gzip, br, zstd' }
  const short = await send(world, '/graphql', { ...asked, 'api-secret': key.secret }, SHORT)
  expect(short).toMatchObject({ status: 200, encoding: undefined, vary: 'Origin' })
  expect(await send(world, '/graphql', asked, LONG)).toMatchObject({ status: 401, encoding: undefined })
})

it('with CORS, Vary names both headers that the answer depends on', async ({ world, key }) => {
  const headers = { 'api-secret': key.secret, 'accept-encoding': 'gzip', origin: 'https://app.example.com' }
  expect((await send(world, '/graphql', headers, LONG)).vary).toBe('Origin, Accept-Encoding')
})

it('every one of many long answers at once is whole, compressed or not', async ({ world, key }) => {
  const headers = { 'api-secret': key.secret, 'accept-encoding': 'br' }
  const { body: expected } = await send(world, '/graphql', { 'api-secret': key.secret }, LONG)
  const answers = await Promise.all(Array.from({ length: 40 }, () => send(world, '/graphql', headers, LONG)))
  for (const { encoding, body } of answers) {
    expect((encoding === 'br' ? brotliDecompressSync(body) : body).equals(expected)).toBe(true)
  }
})

it('the answer of a mutation is never compressed: it may contain a secret', async () => {
  const schema = buildSchema('type Query { long: String } type Mutation { long: String }')
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    const { long } = type?.getFields() ?? {}
    if (long) long.resolve = () => 'x'.repeat(20_000)
  }
  const { answer } = createGraphql(schema, createLog('silent'), () => PORTAL_SECRET)
  const caller = { kind: 'SYSTEM', organizationId: 'acme', role: 'ADMIN' } as const
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const encodingOf = async (query: string) => {
      const headers = { 'content-type': 'application/json', accept, 'accept-encoding': 'gzip' }
      const call = { method: 'POST', url: '/graphql', headers, body: JSON.stringify({ query }) }
      return (await answer(call, { requestId: 'r', caller } as RequestCtx)).headers['content-encoding']
    }
    expect(await encodingOf('{ long }')).toBe('gzip')
    expect(await encodingOf('mutation { long }')).toBeUndefined()
  }
})
