import type { Caller } from '../../caller/ctx.ts'
import type { ApiKeyAccess, StoredRules } from '../../caller/key-rules.ts'
import { isWider, limitsOf } from '../../caller/key-width.ts'

/** What a caller may do, as far as it can change while they stay the same caller. */
export interface Rights {
  role: Caller['role']
  support: boolean
  managesKeys: boolean
  access: ApiKeyAccess
  /** The one device that a key is bound to. */
  deviceId: string | null
  /** Networks, browsers and limits of a key; absent in a record of an earlier version. */
  limits?: StoredRules
}

export function rightsOf(caller: Caller): Rights {
  const rules = caller.kind === 'API_KEY' ? caller.rules : undefined
  return {
    role: caller.role,
    support: caller.kind === 'USER' && caller.support,
    managesKeys: rules?.managesKeys ?? true,
    access: rules?.access ?? 'ADMIN',
    deviceId: rules?.deviceId ?? null,
    limits: limitsOf(caller),
  }
}

/** Whether nothing of what was allowed then is refused now. */
export const includesRights = (now: Rights, then: Rights): boolean =>
  (now.role === 'ADMIN' || then.role !== 'ADMIN') &&
  (now.support || !then.support) &&
  (now.managesKeys || !then.managesKeys) &&
  (now.access === 'ADMIN' || now.access === then.access) &&
  (now.deviceId === null || now.deviceId === then.deviceId) &&
  !isWider(then.limits ?? {}, now.limits ?? {})
