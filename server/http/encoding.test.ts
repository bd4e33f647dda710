import { expect, it } from 'vitest'
import { wantedEncoding } from './encoding.ts'

it.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['zstd, br, gzip', 'br'],
  ['zstd, gzip', 'gzip'],
  ['zstd', 'zstd'],
  ['gzip;q=0.5, zstd', 'zstd'],
  ['zstd;q=0.9, br;q=0.9, gzip;q=0.9, *;q=0.9', 'br'],
  ['GZIP;Q=1', 'gzip'],
  ['zstd;q=0.5, gzip', 'gzip'],
  ['br;q=0, zstd;q=0, gzip;q=0', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['zstd;q=0, *', 'br'],
  ['identity, gzip;q=0.5', undefined],
  ['gzip;q=x', undefined],
  [`${'a,'.repeat(19)}gzip`, 'gzip'],
  [`${'a,'.repeat(20)}gzip`, undefined], // not read
])('Accept-Encoding %s: %s', (accept, encoding) => {
  expect(wantedEncoding(accept)).toBe(encoding)
})

it('chooses among what is offered only', () => {
  expect(wantedEncoding('gzip, deflate, br, zstd', ['br', 'gzip'])).toBe('br')
  expect(wantedEncoding('gzip;q=0.5, zstd', ['br', 'gzip'])).toBe('gzip')
  expect(wantedEncoding('zstd', ['br', 'gzip'])).toBeUndefined()
})
