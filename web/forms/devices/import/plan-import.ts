import type { DeviceToWrite, WholeDevice } from '../../../api/bulk-devices.ts'
import type { FileRow } from './check-devices.ts'
import type { ImportedDevice, ImportedLocation } from './device-fields.ts'

/** What an import would do with a line of the file, if it may change what is there. */
export type Fate = 'create' | 'update' | 'unchanged'

export interface PlannedRow extends FileRow {
  fate: Fate
  /** What would change, as the portal names it. */
  changes: string[]
  /** What is sent. */
  input: DeviceToWrite
}

/** `create`: devices that are there stay as they are. `upsert`: those of the same name become as in the file. */
export type ImportMode = 'create' | 'upsert'

/** What of a device a file can change. */
export type ExistingDevice = Pick<WholeDevice, keyof ImportedDevice>

/** What would become of each line, by the devices that are there now. */
export const planImport = (rows: readonly FileRow[], existing: ReadonlyMap<string, ExistingDevice>): PlannedRow[] =>
  rows.map((row) => {
    const before = existing.get(row.device.name)
    if (!before) return { ...row, fate: 'create', changes: [], input: newDevice(row.device) }
    const after = { ...row.device, ...(row.device.location && { location: placeAfter(before, row.device.location) }) }
    const changes = Object.entries(after)
      .filter(([field, value]) => !isSame(value, before[field as keyof ImportedDevice]))
      .map(([field]) => field)
    return {
      ...row,
      fate: changes.length > 0 ? 'update' : 'unchanged',
      changes,
      input: after, // what the file does not say stays as it is, also where it was changed meanwhile
    }
  })

/** The lines that are sent to the portal. */
export const rowsToWrite = (plan: readonly PlannedRow[], mode: ImportMode): PlannedRow[] =>
  plan.filter(({ fate }) => fate === 'create' || (fate === 'update' && mode === 'upsert'))

/** How many lines have each fate. */
export function countFates(plan: readonly PlannedRow[]): Record<Fate, number> {
  const counts = { create: 0, update: 0, unchanged: 0 }
  for (const { fate } of plan) counts[fate]++
  return counts
}

/** The parts of a place that the file does not have stay as they are. */
function placeAfter(before: Pick<WholeDevice, 'location'>, location: ImportedLocation): ImportedLocation | null {
  const place = { ...NOWHERE, ...before.location, ...location }
  return Object.values(place).every((part) => part === null) ? null : place
}

const NOWHERE = { name: null, address: null, latitude: null, longitude: null, timeZone: null }

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Leaves out the empty fields of a new device, so that more devices fit into one call. */
function newDevice({ location, ...device }: ImportedDevice): DeviceToWrite {
  const place = said(location ?? {})
  return { ...said(device), name: device.name, ...(Object.keys(place).length > 0 && { location: place }) }
}

const said = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  ) as Fields // some of its own entries
