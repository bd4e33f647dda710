import { DAY } from '../../lib/clock.ts'
import type { ApiKeyPolicy } from './policy.ts'

const DEFAULT_LIFETIME_DAYS = 90

export const FIELD_OF_RULE = {
  MAX_KEYS: 'maxKeys',
  MAX_LIFETIME: 'maxLifetimeDays',
  EXPIRY_REQUIRED: 'expiryRequired',
  LABEL_REQUIRED: 'labelRequired',
  ALLOWED_NETWORKS: 'allowedNetworks',
  ALLOW_KEY_MANAGEMENT: 'allowKeyManagement',
  REJECT_BROWSERS: 'rejectBrowsers',
} as const satisfies Record<string, keyof ApiKeyPolicy>

export type ApiKeyRule = keyof typeof FIELD_OF_RULE

export const API_KEY_RULES = Object.keys(FIELD_OF_RULE) as ApiKeyRule[] // these keys and no others

/** The lifetime of keys without an expiration, or with one that is too late, once the rule is applied to them. */
const lifetimeDays = ({ maxLifetimeDays }: ApiKeyPolicy) => maxLifetimeDays ?? DEFAULT_LIFETIME_DAYS

export const expireByPolicy = (policy: ApiKeyPolicy, now: number) => now + lifetimeDays(policy) * DAY

/** What happens to keys that violate the rule once it is applied to them, too. */
export function consequenceOf(rule: ApiKeyRule, policy: ApiKeyPolicy): string {
  switch (rule) {
    case 'MAX_KEYS':
      return 'They are revoked for good, and everything that uses them loses access at once.'
    case 'MAX_LIFETIME':
    case 'EXPIRY_REQUIRED':
      return `They expire ${lifetimeDays(policy)} ${lifetimeDays(policy) === 1 ? 'day' : 'days'} from now.`
    case 'LABEL_REQUIRED':
      return 'They are refused until somebody gives them a label.'
    case 'ALLOWED_NETWORKS':
      return 'They are refused from all other networks, where they have been used recently.'
    case 'ALLOW_KEY_MANAGEMENT':
      return 'They can no longer generate, rename, rotate or revoke keys.'
    case 'REJECT_BROWSERS':
      return 'Their calls from browsers are refused.'
  }
}
