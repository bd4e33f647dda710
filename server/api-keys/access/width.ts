import type { Caller } from '../../ctx.ts'
import { type ApiKeyAccess, NARROWER } from '../../key-access.ts'
import { hasOwnLimits, type KeyRules, type OwnRules, type StoredRules } from '../../key-rules.ts'
import { AppError } from '../../lib/app-error.ts'
import { areWithin } from '../../lib/network.ts'

/*
 * A restricted key never widens itself or another key, and never makes, accepts again or takes over a wider one (C10).
 * Only a key with the whole access manages keys, so compared with the calling key, networks, browsers and limits remain.
 * An expiration is no width: a key could not rotate itself.
 */
const IS_WIDER = {
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

/** Whether these rules allow something that those refuse. */
export const isWider = (rules: StoredRules, than: StoredRules): boolean =>
  Object.values(IS_WIDER).some((isSo) => isSo(rules, than))

/** Throws if a key that is generated would get more than the calling key has. */
export function requireNotWider(caller: Caller, rules: StoredRules): void {
  refuseWider(rules, ownLimitsOf(caller))
}

/** Throws if a key that is to be accepted again, or whose new secret the calling key gets, is wider than that one. */
export function requireNoWiderKey(caller: Caller, rules: StoredRules): void {
  refuseWider(rules, limitsOf(caller))
}

/**
 * Throws if a restricted key widens a key, in whatever respect: a key without restrictions that gets more access from it
 * could lift those of the calling key.
 */
export function requireNarrower(caller: Caller, rules: StoredRules, before: StoredRules): void {
  if (caller.kind === 'API_KEY' && isRestricted(caller.rules)) refuseWider(rules, before)
}

/** By what was chosen for it, or by the policy. */
const isRestricted = (rules: KeyRules) => hasOwnLimits(rules) || rules.networks !== undefined || rules.refusesBrowsers

function refuseWider(rules: StoredRules, than: StoredRules): void {
  for (const [field, isWider] of Object.entries(IS_WIDER)) {
    if (!isWider(rules, than)) continue
    throw new AppError('FORBIDDEN', {
      field,
      message: `${field}: this API key is restricted itself, so it widens no key and gives none more than it has. Ask a person who is an Admin.`,
    })
  }
}
