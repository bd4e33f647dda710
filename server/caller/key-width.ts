import { areWithin } from '../lib/network.ts'
import type { Caller } from './ctx.ts'
import { type ApiKeyAccess, NARROWER, type OwnRules, type StoredRules } from './key-rules.ts'

/** In which respects the rules of a key allow something that those of another refuse. */
export const IS_WIDER = {
  access: (rules: StoredRules, than: StoredRules) => includesMore(rules.access ?? 'ADMIN', than.access ?? 'ADMIN'),
  deviceId: (rules: StoredRules, than: StoredRules) => than.deviceId !== undefined && rules.deviceId !== than.deviceId,
  notBefore: (rules: StoredRules, than: StoredRules) =>
    than.notBefore !== undefined && (rules.notBefore === undefined || rules.notBefore < than.notBefore),
  allowedNetworks: (rules: StoredRules, than: StoredRules) =>
    [than.networks, than.ownNetworks].some((allowed) => allowed && !isOnlyFrom(rules, allowed)),
  rejectBrowsers: (rules: StoredRules, than: StoredRules) => than.noBrowser === true && !rules.noBrowser,
  requestsPerSecond: (rules: StoredRules, than: StoredRules) =>
    exceeds(rules.requestsPerSecond, than.requestsPerSecond),
  requestsPerDay: (rules: StoredRules, than: StoredRules) => exceeds(rules.requestsPerDay, than.requestsPerDay),
} as const

const includesMore = (access: ApiKeyAccess, than: ApiKeyAccess) =>
  access !== than && !NARROWER[than].some((narrower) => narrower === access)

/** One of its two lists is enough: both must hold the address of a call. */
const isOnlyFrom = ({ networks, ownNetworks }: StoredRules, allowed: readonly string[]) =>
  [networks, ownNetworks].some((list) => list !== undefined && list.length > 0 && areWithin(list, allowed))

const exceeds = (value: number | undefined, limit: number | undefined) =>
  limit !== undefined && (value === undefined || value > limit)

/** What was chosen for the calling key itself: a key that it generates has at least that. */
export function ownLimitsOf(caller: Caller): OwnRules {
  if (caller.kind !== 'API_KEY') return {}
  const { ownNetworks, requestsPerSecond, requestsPerDay } = caller.rules
  return { ownNetworks: ownNetworks?.list, requestsPerSecond, requestsPerDay }
}

/** These, and what the policy gave it; nothing for a person. */
export function limitsOf(caller: Caller): StoredRules {
  if (caller.kind !== 'API_KEY') return {}
  const { networks, refusesBrowsers } = caller.rules
  return { ...ownLimitsOf(caller), networks: networks?.list, noBrowser: refusesBrowsers }
}

export const isWider = (rules: StoredRules, than: StoredRules): boolean =>
  Object.values(IS_WIDER).some((isSo) => isSo(rules, than))
