import { describe, expect, it } from 'vitest'
import { checkNewDevice } from '../../server/devices/device-input.ts'
import { checkValue, tidied } from '../../web/forms/devices/import/check-devices.ts'
import { FIELDS, type Field } from '../../web/forms/devices/import/device-fields.ts'
import { fc } from '../support/fast-check.ts'

/** What can be wrong with a text, and what only looks so. */
const characters = [
  'a',
  'é',
  '😀',
  ' ',
  '\n',
  '\t',
  '\r',
  '\0',
  '\u0085',
  '\u00ad',
  '\u00a0',
  '\u200b',
  '\u200d',
  '\u2028',
  '\u202e',
  '\u2800',
  '\ud800',
  '\u{e0041}',
  'e\u0301',
]
const short = fc.string({ unit: fc.constantFrom(...characters), maxLength: 5 })
const long = fc
  .integer({ min: 35, max: 1005 })
  .chain((length) => fc.constantFrom('a', '😀', 'e\u0301').map((char) => char.repeat(length)))
const secret = fc
  .constantFrom('emp_', 'xemp_', 'emv%5f', 'emq_', 'whsec_', 'xwhsec%5F')
  .chain((begin) => fc.constantFrom(15, 16, 19, 20, 43).map((length) => begin + 'a'.repeat(length)))
const text = fc.oneof(short, long, secret)
const degrees = fc.oneof(fc.double({ min: -200, max: 200, noNaN: true }), fc.constantFrom(90, -90, 180, -180, 90.1))
const zone = fc.constantFrom('Europe/Berlin', 'UTC', 'Mars/Base', '', '+01:00', 'europe/berlin')

const VALUES: Record<Field, ReturnType<typeof fc.anything>> = {
  name: text,
  description: fc.option(text),
  enabled: fc.boolean(),
  tags: fc.array(text, { maxLength: 22 }),
  firmwareVersion: fc.option(text),
  'location.name': fc.option(text),
  'location.address': fc.option(text),
  'location.latitude': fc.option(degrees),
  'location.longitude': fc.option(degrees),
  'location.timeZone': fc.option(zone),
}

describe('an import finds before it writes what the portal would refuse', () => {
  it.for(FIELDS)('%s', (field) => {
    fc.assert(
      fc.property(VALUES[field], (value) => {
        expect([value, checkValue(field, value) === undefined]).toEqual([value, isTaken(field, value)])
      }),
      { numRuns: 500 },
    )
  })
})

function isTaken(field: Field, value: unknown): boolean {
  const [outer = '', inner] = field.split('.')
  try {
    const sent = tidied(value)
    checkNewDevice({ name: 'a', [outer]: inner === undefined ? sent : { [inner]: sent } })
    return true
  } catch {
    return false
  }
}
