import type { KeyAccess, KeyChanges, KeyRestrictions } from '../../../api/key-restrictions.ts'
import type { ChosenRestrictions } from './restriction-values.ts'

/** What an access includes besides itself. */
const INCLUDES: Record<KeyAccess, readonly KeyAccess[]> = {
  ADMIN: ['READ_ONLY', 'DEVICES', 'CHECK_IN'],
  READ_ONLY: [],
  DEVICES: ['CHECK_IN'],
  CHECK_IN: [],
}

/** In which ways a key could do more than before; empty if it could not. */
export function widening(before: KeyRestrictions, after: ChosenRestrictions): string[] {
  return [
    ...(isWiderAccess(before, after) ? ['more operations'] : []),
    ...(isOtherDevice(before, after) ? ['another device'] : []),
    ...(isWiderNetworks(before.allowedNetworks, after.allowedNetworks) ? ['calls from more networks'] : []),
    ...(isHigher(before.requestsPerSecond, after.requestsPerSecond) ? ['more requests per second'] : []),
    ...(isHigher(before.requestsPerDay, after.requestsPerDay) ? ['more requests per day'] : []),
    ...(isEarlier(before.notBefore, after.notBefore) ? ['calls at an earlier time'] : []),
  ]
}

const isWiderAccess = (before: KeyRestrictions, after: ChosenRestrictions) =>
  before.access !== after.access && !INCLUDES[before.access].includes(after.access)

const isOtherDevice = (before: KeyRestrictions, after: ChosenRestrictions) =>
  after.access === 'CHECK_IN' && before.deviceId !== null && before.device?.name !== after.deviceName

const isWiderNetworks = (before: readonly string[], after: readonly string[]) =>
  before.length > 0 && (after.length === 0 || after.some((network) => !before.includes(network)))

const isHigher = (before: number | null, after: number | null) => before !== null && (after === null || after > before)

const isEarlier = (before: string | null, after: string | null) =>
  before !== null && Date.parse(before) > Date.now() && (after === null || minute(after) < minute(before))

/** The form knows no seconds. */
const minute = (moment: string) => Math.floor(Date.parse(moment) / 60_000)

/** Only what differs: what somebody else changed in the meantime stays. Without a `deviceId` the device is the same. */
export function changesOf(
  before: KeyRestrictions,
  { access, allowedNetworks, notBefore, requestsPerSecond, requestsPerDay }: ChosenRestrictions,
  deviceId: string | null | undefined,
): KeyChanges {
  return {
    ...(access !== before.access && { access }),
    ...(deviceId !== undefined && access === 'CHECK_IN' && { deviceId }),
    ...(allowedNetworks.join() !== before.allowedNetworks.join() && { allowedNetworks }),
    ...(!isSameMinute(notBefore, before.notBefore) && { notBefore }),
    ...(requestsPerSecond !== before.requestsPerSecond && { requestsPerSecond }),
    ...(requestsPerDay !== before.requestsPerDay && { requestsPerDay }),
  }
}

const isSameMinute = (a: string | null, b: string | null) => (a && minute(a)) === (b && minute(b))
