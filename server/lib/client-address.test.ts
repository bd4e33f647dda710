import { type FastifyRequest, fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { createClientAddress, plainAddress, sourceOf } from './client-address.ts'

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
      theirs: plainAddress(request.ip),
      ours: sender(request.raw),
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

describe('the source of a request', () => {
  it('is an IPv4 address as it is, also in IPv4-mapped form', () => {
    expect(sourceOf('203.0.113.7')).toBe('203.0.113.7')
    expect(sourceOf('::ffff:203.0.113.7')).toBe('203.0.113.7')
    expect(sourceOf('::FFFF:203.0.113.7')).toBe('203.0.113.7')
  })

  it('is the /64 of an IPv6 address, in any spelling', () => {
    const same = ['2001:db8:0:1::1', '2001:0db8:0000:0001:ffff:ffff:ffff:ffff', '2001:DB8:0:1:2:3:4:5%eth0']
    expect(same.map(sourceOf)).toEqual(Array(3).fill('2001:db8:0:1::/64'))
    expect(sourceOf('2001:db8:0:2::1')).toBe('2001:db8:0:2::/64')
    expect(sourceOf('2001:db8::1')).toBe('2001:db8:0:0::/64')
    expect(sourceOf('::1')).toBe('0:0:0:0::/64')
    expect(sourceOf('64:ff9b::203.0.113.7')).toBe('64:ff9b:0:0::/64')
  })
})
