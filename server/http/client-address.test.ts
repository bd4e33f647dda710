import { type FastifyRequest, fastify } from 'fastify'
import { expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { createClientAddress } from './client-address.ts'

const TRUSTED = [false, true, ['10.0.0.1', '10.1.0.0/16', 'fd00::/8']]

const ADDRESSES = ['10.0.0.1', '10.1.2.3', '203.0.113.7', 'fd00::1', '2001:db8::2', '::ffff:10.0.0.1']
const address = fc.constantFrom(...ADDRESSES)
const listOf = (...values: string[]) =>
  fc.option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }).map((list) => list.join(', ')))

const headers = fc
  .record({ 'x-forwarded-for': listOf(...ADDRESSES) })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<string, string>)

it.each(TRUSTED)(
  'finds the same client address as Fastify on the other routes, with TRUST_PROXY %j',
  async (trustProxy) => {
    const app = fastify({ trustProxy })
    const sender = createClientAddress({ trustProxy })
    app.get('/', (request: FastifyRequest) => ({
      theirs: request.ip,
      ours: sender.address(request.raw),
    }))
    await fc.assert(
      fc.asyncProperty(address, headers, async (remoteAddress, sent) => {
        const { ours, theirs } = (await app.inject({ url: '/', remoteAddress, headers: sent })).json()
        expect(ours).toEqual(theirs)
      }),
      { numRuns: 300 },
    )
    await app.close()
  },
)
