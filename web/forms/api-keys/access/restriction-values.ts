import { ApiError } from '../../../api/client.ts'
import { findDeviceByName } from '../../../api/devices.ts'
import type { KeyAccess } from '../../../api/key-restrictions.ts'
import { ACCESSES } from '../../../components/key-access.ts'
import { textOf } from '../../../ui/Form.tsx'
import { networksOf, numberOf } from '../policy/policy-values.ts'

const MINUTE_MS = 60_000

/** What was chosen, with the device by its name. */
export interface ChosenRestrictions {
  access: KeyAccess
  deviceName: string | null
  allowedNetworks: string[]
  notBefore: string | null
  requestsPerSecond: number | null
  requestsPerDay: number | null
}

/** The restrictions as they stand in the form; what cannot be sent throws with its field. */
export function restrictionsFrom(values: FormData): ChosenRestrictions {
  const chosen = textOf(values, 'access') ?? ''
  const access = isAccess(chosen) ? chosen : 'ADMIN'
  return {
    access,
    deviceName: access === 'CHECK_IN' ? (textOf(values, 'deviceId') ?? null) : null,
    allowedNetworks: networksOf(values),
    notBefore: momentOf(values, 'notBefore'),
    requestsPerSecond: numberOf(values, 'requestsPerSecond'),
    requestsPerDay: numberOf(values, 'requestsPerDay'),
  }
}

const isAccess = (text: string): text is KeyAccess => Object.hasOwn(ACCESSES, text)

function momentOf(values: FormData, field: string): string | null {
  const text = textOf(values, field)
  if (!text) return null
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) throw new ApiError('Enter a date and a time.', { code: 'BAD_USER_INPUT', field })
  return moment.toISOString()
}

/** The id of the device of this name. */
export async function deviceIdOf(slug: string, name: string | null): Promise<string | null> {
  if (name === null) return null
  const device = await findDeviceByName(slug, name)
  if (device) return device.id
  throw new ApiError('No device has this name.', { code: 'BAD_USER_INPUT', field: 'deviceId' })
}

/** For a field of date and time, in the reader's time zone. */
export function localTime(moment: string | null | undefined): string {
  if (!moment) return ''
  const at = new Date(moment)
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}
