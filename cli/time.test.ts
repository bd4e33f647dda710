import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { isoTime, parseTime, readableTime } from './time.ts'

it.each([
  ['2027-01-31', Date.UTC(2027, 0, 31)],
  ['2028-02-29', Date.UTC(2028, 1, 29)],
  ['2027-01-31T18:00Z', Date.UTC(2027, 0, 31, 18)],
  ['2027-01-31T18:00:30.5+02:00', Date.UTC(2027, 0, 31, 16, 0, 30, 500)],
])('C7: an end date may be written %s', (text, at) => {
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
])('C7: an end date may not be written %j', (text) => {
  expect(() => parseTime(text)).toThrow(InvalidArgumentError)
})

describe('a time', () => {
  const at = Date.UTC(2026, 10, 15, 14, 3, 59)

  it('is readable, with its zone', () => expect(readableTime(at)).toBe('2026-11-15 14:03 UTC'))
  it('is exact for programs', () => expect(isoTime(at)).toBe('2026-11-15T14:03:59.000Z'))
  it('may be missing', () => expect([readableTime(null), isoTime(null)]).toEqual(['never', null]))
})
