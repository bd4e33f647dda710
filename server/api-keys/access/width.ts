import type { Caller } from '../../caller/ctx.ts'
import { hasOwnLimits, type KeyRules, type StoredRules } from '../../caller/key-rules.ts'
import { IS_WIDER, limitsOf, ownLimitsOf } from '../../caller/key-width.ts'
import { AppError } from '../../lib/app-error.ts'

/*
 * A restricted key never widens itself or another key, and never makes, accepts again or takes over a wider one (C10).
 * Only a key with the whole access manages keys, so compared with the calling key, networks, browsers and limits remain.
 * An expiration is no width: a key could not rotate itself.
 */

/** Throws if a key that is generated would get more than the calling key has. */
export function requireNotWider(caller: Caller, rules: StoredRules): void {
  refuseWider(rules, ownLimitsOf(caller))
}

/** Throws if a key that is to be accepted again, or whose new secret the calling key gets, is wider than that one. */
export function requireNoWiderKey(caller: Caller, rules: StoredRules): void {
  refuseWider(rules, limitsOf(caller))
}

/** Throws if a restricted key widens a key in any respect: one without restrictions could lift those of the calling key. */
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
