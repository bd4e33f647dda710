import { DAY } from '../lib/clock.ts'
import type { ApiKeyPolicy } from './policy.ts'

const LIFE_WITHOUT_LONGEST_DAYS = 90

/** The rules of a policy, by the field that sets them. */
export const FIELD_OF_RULE = {
  MAX_KEYS: 'maxKeys',
  LONGEST_LIFE: 'longestLifeDays',
  END_REQUIRED: 'endRequired',
  LABEL_REQUIRED: 'labelRequired',
  ALLOWED_NETWORKS: 'allowedNetworks',
  KEYS_MANAGE_KEYS: 'keysManageKeys',
  REFUSE_BROWSERS: 'refuseBrowsers',
} as const satisfies Record<string, keyof ApiKeyPolicy>

export type ApiKeyRule = keyof typeof FIELD_OF_RULE

export const API_KEY_RULES = Object.keys(FIELD_OF_RULE) as ApiKeyRule[] // its keys are these and no others

/** How long keys live that have no end, or one too late, once that is applied to them. */
const lifeDays = ({ longestLifeDays }: ApiKeyPolicy) => longestLifeDays ?? LIFE_WITHOUT_LONGEST_DAYS

export const endByPolicy = (policy: ApiKeyPolicy, now: number) => now + lifeDays(policy) * DAY

/** What happens to keys that break the rule once it is applied to them, too. */
export function consequenceOf(rule: ApiKeyRule, policy: ApiKeyPolicy): string {
  switch (rule) {
    case 'MAX_KEYS':
      return 'They are revoked for good, and everything that uses them loses access at once.'
    case 'LONGEST_LIFE':
    case 'END_REQUIRED':
      return `They end ${lifeDays(policy)} ${lifeDays(policy) === 1 ? 'day' : 'days'} from now.`
    case 'LABEL_REQUIRED':
      return 'They are refused until somebody gives them a label.'
    case 'ALLOWED_NETWORKS':
      return 'They are refused from all other networks, where they have been used lately.'
    case 'KEYS_MANAGE_KEYS':
      return 'They can no longer generate, rename, rotate or revoke keys.'
    case 'REFUSE_BROWSERS':
      return 'They are refused where a browser calls.'
  }
}
