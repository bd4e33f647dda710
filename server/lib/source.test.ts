import { describe, expect, it } from 'vitest'
import { sourceOf } from './source.ts'

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
