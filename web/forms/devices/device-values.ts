import { ApiError } from '../../api/client.ts'
import type { Device, DeviceChanges } from '../../api/devices.ts'
import { textOf, tidyText } from '../../ui/Form.tsx'

/** Between the tags in the one hidden field that holds them; no tag has it inside. */
export const TAG_DIVIDER = '\n'

/** A device as the form has it; what is left empty is cleared. */
export function deviceValues(values: FormData) {
  const text = (name: string) => textOf(values, name) ?? null
  return {
    name: text('name') ?? '',
    description: text('description')?.replaceAll('\r\n', '\n') ?? null,
    tags: tagsOf(values, 'tags'),
    firmwareVersion: text('firmwareVersion'),
    enabled: values.has('enabled'),
    location: {
      name: text('location.name'),
      address: text('location.address'),
      latitude: degrees(values, 'location.latitude'),
      longitude: degrees(values, 'location.longitude'),
      timeZone: text('location.timeZone'),
    },
  }
}

/** The tags of a field, each once. */
export const tagsOf = (values: FormData, name: string): string[] => [
  ...new Set(textOf(values, name)?.split(TAG_DIVIDER).map(tidyText)),
]

/** Only what differs from the device that was opened. */
export function changesOf(before: Device, after: ReturnType<typeof deviceValues>): DeviceChanges {
  const was: Record<string, unknown> = { ...before, location: before.location ?? NOWHERE }
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(was[field])),
  )
}

const NOWHERE = { name: null, address: null, latitude: null, longitude: null, timeZone: null }

/** A number that cannot be read must not become no number. */
function degrees(values: FormData, name: string): number | null {
  const typed = textOf(values, name)
  if (typed === undefined) return null
  const number = Number(typed.replace(',', '.').replace('−', '-'))
  if (Number.isFinite(number)) return number
  throw new ApiError('Enter degrees as a number, for example 52.52.', { code: 'BAD_USER_INPUT', field: name })
}
