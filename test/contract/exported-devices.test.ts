import { describe, expect, it } from 'vitest'
import { deviceLines, devicesHead, EXPORTED, restFile } from '../../web/forms/devices/device-csv.ts'
import { readDevices } from '../../web/forms/devices/import/read-devices.ts'
import { fc } from '../support/fast-check.ts'

const word = fc.string({
  unit: fc.constantFrom('a', 'B', '=', "'", '-', '"', ';', ',', '[', ']', 'é', '＝', '﹫'),
  minLength: 1,
  maxLength: 8,
})
const device = fc.record({
  name: word,
  description: fc.option(word),
  enabled: fc.boolean(),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  firmwareVersion: fc.option(word),
  location: fc.record({
    name: fc.option(word),
    address: fc.option(word),
    latitude: fc.option(fc.integer({ min: -90, max: 90 })),
    longitude: fc.option(fc.double({ min: -180, max: 180, noNaN: true, noDefaultInfinity: true })),
    timeZone: fc.constantFrom(null, 'Europe/Berlin'),
  }),
})
const devices = fc.uniqueArray(device, { selector: ({ name }) => name, minLength: 1, maxLength: 5 })

/** Blanks of several widths, and what joins letters. */
const UNSEEN = [' ', '\u00a0', '\u2003', '\u2009', '\u202f', '\u3000', '\u200c', '\u200d']

describe('an exported file', () => {
  it('can be imported again, and is the same devices', async () => {
    await fc.assert(
      fc.asyncProperty(devices, async (given) => {
        const { rows, errors } = await readDevices(new Blob([devicesHead(EXPORTED), deviceLines(given, EXPORTED)]))
        expect(errors).toEqual([])
        expect(rows.map((row) => row.device)).toEqual(given.map(withPlainZeros))
      }),
    )
  })

  it('keeps blanks and joiners before what is guarded', async () => {
    const names = UNSEEN.map((character) => `a;${character}=1`)
    const { rows } = await readDevices(
      new Blob([
        devicesHead(['name']),
        deviceLines(
          names.map((name) => ({ name })),
          ['name'],
        ),
      ]),
    )
    expect(rows.map((row) => row.device.name)).toEqual(names)
  })

  it('has no cell that begins a formula, also where a spreadsheet splits at semicolons, tabs or line breaks', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '=', '＋', "'", '"', ';', '\t', '\n', '@', ...UNSEEN),
      maxLength: 12,
    })
    fc.assert(
      fc.property(text, text, fc.array(word, { maxLength: 4 }), (name, description, tags) => {
        const line = deviceLines([{ name, description, tags }], ['name', 'description', 'tags'])
        for (const cell of line.split(/[;\t\r\n]/)) expect(cell).not.toMatch(/^["\p{Z}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u)
      }),
    )
    expect(deviceLines([{ name: 'a', tags: ['b', '=1+1', '＠x'] }], ['name', 'tags'])).toBe("a,b;'=1+1;'＠x\r\n")
  })

  it('of the rest of an import has the columns that the file had, and no others', async () => {
    const { rows } = await readDevices(new Blob(['name,tags,lat\na,x,1\nb,,\n']))
    const rest = restFile(rows, 'csv')
    expect(await rest.text()).toBe('\uFEFFname,tags,location.latitude\r\na,x,1\r\nb,,\r\n'.slice(1))
    expect((await readDevices(rest)).rows.map((row) => row.device)).toEqual(rows.map((row) => row.device))
    const json = await readDevices(restFile(rows, 'json'))
    expect(json.rows.map((row) => row.device)).toEqual(rows.map((row) => row.device))
  })
})

/** A file has no minus zero. */
const withPlainZeros = <Device extends { location: { latitude: number | null; longitude: number | null } }>(
  given: Device,
) => ({
  ...given,
  location: {
    ...given.location,
    latitude: given.location.latitude === null ? null : given.location.latitude + 0,
    longitude: given.location.longitude === null ? null : given.location.longitude + 0,
  },
})
