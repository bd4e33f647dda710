import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../server/lib/clock.ts'
import { isoTime, parseDays, parseLength, parseTime, readableTime, shortLength } from './time.ts'

it.each([
  ['2027-01-31', Date.UTC(2027, 0, 31)],
  ['2028-02-29', Date.UTC(2028, 1, 29)],
  ['2027-01-31T18:00Z', Date.UTC(2027, 0, 31, 18)],
  ['2027-01-31T18:00:30.5+02:00', Date.UTC(2027, 0, 31, 16, 0, 30, 500)],
])('C7: accepts the expiration %s', (text, at) => {
  expect(parseTime(text)).toBe(at)
})

it.each([
  '',
  'tomorrow',
  '2027',
  '2027-02-30',
  '2027-02-29T10:00Z',
  '2027-13-01',
  '2027-1-1',
  '2027-01-31T18:00',
  '2027-01-31T25:00Z',
  ' 2027-01-31',
  '1800000000000',
])('C7: refuses the expiration %j', (text) => {
  expect(() => parseTime(text)).toThrow(InvalidArgumentError)
})

describe('a time', () => {
  const at = Date.UTC(2026, 10, 15, 14, 3, 59)

  it('is readable, with its zone', () => expect(readableTime(at)).toBe('2026-11-15 14:03 UTC'))
  it('is exact for programs', () => expect(isoTime(at)).toBe('2026-11-15T14:03:59.000Z'))
  it('may be missing', () => expect([readableTime(null), isoTime(null)]).toEqual(['never', null]))
})

it.each([
  ['90d', 90 * DAY],
  ['12h', 12 * HOUR],
  ['30m', 30 * MINUTE],
  ['45s', 45 * SECOND],
  ['0s', 0],
  ['0', 0],
])('accepts the duration %s', (text, ms) => {
  expect(parseLength(text)).toBe(ms)
})

it.each(['', '90', 'd', '-1d', '1.5h', '1 d', '1D', '1w', '1d12h', '1e3s', '9999999d'])(
  'refuses the duration %j',
  (text) => {
    expect(() => parseLength(text)).toThrow(InvalidArgumentError)
  },
)

it('days are whole numbers from 1 on', () => {
  expect([parseDays('90d'), parseDays('48h')]).toEqual([90, 2])
  for (const text of ['0d', '0', '36h', '90m', 'x']) expect(() => parseDays(text), text).toThrow(InvalidArgumentError)
})

it('a duration is printed in its largest unit', () => {
  expect([0, 59_999, MINUTE, 90 * MINUTE, DAY - 1, 400 * DAY].map(shortLength)).toEqual([
    '0s',
    '59s',
    '1m',
    '1h',
    '23h',
    '400d',
  ])
})
