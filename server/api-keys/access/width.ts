import type { Caller } from '../../ctx.ts'
import type { KeyRules, OwnRules, StoredRules } from '../../key-rules.ts'
import { AppError } from '../../lib/app-error.ts'
import { areWithin } from '../../lib/network.ts'

/*
 * A key never widens itself or another key, and never makes, resumes or takes over a wider one (C10). Only a key with
 * the whole access manages keys, so what remains to compare are networks, browsers and limits. An expiration and
 * `notBefore` are no width: that of the caller has not come yet, or has passed.
 */
const IS_WIDER = {
  allowedNetworks: (rules: StoredRules, than: StoredRules) =>
    [than.networks, than.ownNetworks].some((allowed) => allowed && !isOnlyFrom(rules, allowed)),
  rejectBrowsers: (rules: StoredRules, than: StoredRules) => than.noBrowser === true && !rules.noBrowser,
  requestsPerSecond: (rules: StoredRules, than: StoredRules) =>
    exceeds(rules.requestsPerSecond, than.requestsPerSecond),
  requestsPerDay: (rules: StoredRules, than: StoredRules) => exceeds(rules.requestsPerDay, than.requestsPerDay),
} as const

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

const allLimitsOf = (caller: Caller, { networks, refusesBrowsers }: KeyRules): StoredRules => ({
  ...ownLimitsOf(caller),
  networks: networks?.list,
  noBrowser: refusesBrowsers,
})

/**
 * Throws if a key that is generated or changed would get more than the calling key has. `before` are the rules of a key
 * that it may keep, however wide they are.
 */
export function requireNotWider(caller: Caller, rules: StoredRules, before?: StoredRules): void {
  refuseWider(ownLimitsOf(caller), rules, before)
}

/** Throws if a key that is to be accepted again, or whose new secret the calling key gets, is wider than that one. */
export function requireNoWiderKey(caller: Caller, rules: StoredRules): void {
  if (caller.kind === 'API_KEY') refuseWider(allLimitsOf(caller, caller.rules), rules)
}

function refuseWider(mine: StoredRules, rules: StoredRules, before?: StoredRules): void {
  for (const [field, isWider] of Object.entries(IS_WIDER)) {
    if (!isWider(rules, mine) || (before && !isWider(rules, before))) continue
    throw new AppError('FORBIDDEN', {
      field,
      message: `${field}: this API key is restricted itself, and gives no key more than it has. Ask a person who is an Admin.`,
    })
  }
}
