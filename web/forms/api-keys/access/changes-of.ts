import type { KeyChanges, KeyRestrictions } from '../../../api/key-access.ts'
import type { ChosenRestrictions } from './restriction-values.ts'
import { minute } from './widening.ts'

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
