import { describe, expect, it } from 'vitest'
import { countFates, type ExistingDevice, planImport, rowsToWrite } from './plan-import.ts'

const there: ExistingDevice = {
  name: 'press-7',
  description: null,
  enabled: false,
  tags: ['berlin'],
  firmwareVersion: '1.0',
  location: { name: 'Berlin', address: null, latitude: 52.5, longitude: 13.4, timeZone: null },
}
const existing = new Map([[there.name, there]])
const plan = (device: object) => planImport([{ line: 2, device: { name: 'press-7', ...device } }], existing)[0]

describe('what an import would do', () => {
  it('is to create what is not there, with nothing said that is empty', () => {
    const device = { name: 'new', tags: [], description: null, location: { name: null, latitude: 1 } }
    expect(planImport([{ line: 5, device }], existing)).toMatchObject([
      { line: 5, fate: 'create', input: { name: 'new', location: { latitude: 1 } } },
    ])
    expect(planImport([{ line: 5, device }], existing)[0]?.input).not.toHaveProperty('tags')
  })

  it('is nothing where the file says what is there, or does not say', () => {
    expect(plan({})).toMatchObject({ fate: 'unchanged' })
    expect(plan({ tags: ['berlin'], enabled: false, location: { name: 'Berlin' } })).toMatchObject({
      fate: 'unchanged',
    })
  })

  it('names what changes, and keeps the parts of a place that the file does not have', () => {
    expect(plan({ tags: ['berlin', 'pilot'], location: { name: 'Potsdam' } })).toMatchObject({
      fate: 'update',
      changes: ['tags', 'location'],
      input: { location: { name: 'Potsdam', address: null, latitude: 52.5, longitude: 13.4, timeZone: null } },
    })
    expect(plan({ firmwareVersion: null })).toMatchObject({
      changes: ['firmwareVersion'],
      input: { firmwareVersion: null },
    })
  })

  it('never enables a device of which the file does not say so', () => {
    expect(plan({ tags: [] })?.input).not.toHaveProperty('enabled')
  })

  it('sends only what has to be written', () => {
    const rows = [{ name: 'press-7', tags: [] }, { name: 'new' }].map((device, at) => ({ line: at + 2, device }))
    const planned = planImport(rows, existing)
    expect(countFates(planned)).toEqual({ create: 1, update: 1, unchanged: 0 })
    expect(rowsToWrite(planned, 'create').map(({ line }) => line)).toEqual([3])
    expect(rowsToWrite(planned, 'upsert').map(({ line }) => line)).toEqual([2, 3])
  })
})
