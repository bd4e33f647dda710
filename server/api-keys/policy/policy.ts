import { type Ctx, requireAdmin } from '../../caller/ctx.ts'
import { keyRules, type StoredRules } from '../../caller/key-rules.ts'
import { LIMITS } from '../../config/limits.ts'
import { AppError } from '../../lib/app-error.ts'
import { badInput, checkAll } from '../../lib/check.ts'
import { DAY } from '../../lib/clock.ts'
import { checkNetworks } from '../../lib/network.ts'
import { currentOrganization, type Organization } from '../../organizations/organization.ts'
import type { ApiKey } from '../api-key.ts'

export const MAX_LIFETIME_DAYS = 3650

/** What an organization requires of its keys. The rules of a single key are copied from it: see key-rules.ts. */
export interface ApiKeyPolicy {
  /** Null: only the limit that applies to everybody. */
  maxKeys: number | null
  maxLifetimeDays: number | null
  expiryRequired: boolean
  labelRequired: boolean
  /** Empty: any. */
  allowedNetworks: readonly string[]
  allowKeyManagement: boolean
  rejectBrowsers: boolean
}

/** An absent rule stays as it is, null resets it to the default. */
export type ApiKeyPolicyInput = { [Name in keyof ApiKeyPolicy]?: ApiKeyPolicy[Name] | null | undefined }

/** No restrictions (K6, K7). */
const DEFAULT_POLICY: ApiKeyPolicy = {
  maxKeys: null,
  maxLifetimeDays: null,
  expiryRequired: false,
  labelRequired: false,
  allowedNetworks: [],
  allowKeyManagement: true,
  rejectBrowsers: false,
}

export async function apiKeyPolicy(ctx: Ctx): Promise<ApiKeyPolicy> {
  requireAdmin(ctx.caller)
  return policyOf(await currentOrganization(ctx))
}

/** Throws UNAVAILABLE for a policy with a rule of a newer version: a key that is generated here would lack it. */
export function policyOf({ apiKeyPolicy }: Pick<Organization, 'apiKeyPolicy'>): ApiKeyPolicy {
  if (apiKeyPolicy === null) return DEFAULT_POLICY
  const stored = JSON.parse(apiKeyPolicy) as Partial<ApiKeyPolicy> // only writePolicy writes it
  if (Object.keys(stored).every((rule) => Object.hasOwn(DEFAULT_POLICY, rule))) return { ...DEFAULT_POLICY, ...stored }
  throw new AppError('UNAVAILABLE', {
    message:
      'The policy of this organization has rules that this process of the portal does not know: the portal is being upgraded. Try again in a moment.',
    retryAfterSeconds: 1,
  })
}

export function writePolicy(policy: ApiKeyPolicy): string | null {
  const text = JSON.stringify(policy)
  return text === JSON.stringify(DEFAULT_POLICY) ? null : text
}

/** Each value that is given, checked and in the canonical form that is stored. */
export function checkPolicyInput(input: ApiKeyPolicyInput): ApiKeyPolicyInput {
  const { allowedNetworks } = checkAll({
    maxKeys: () => checkRange('maxKeys', input.maxKeys, LIMITS.active_keys),
    maxLifetimeDays: () => checkRange('maxLifetimeDays', input.maxLifetimeDays, MAX_LIFETIME_DAYS),
    allowedNetworks: () => input.allowedNetworks && checkNetworks('allowedNetworks', input.allowedNetworks),
  })
  return allowedNetworks == null ? input : { ...input, allowedNetworks }
}

function checkRange(field: string, value: number | null | undefined, most: number): void {
  if (value == null || (Number.isInteger(value) && value >= 1 && value <= most)) return
  throw badInput(field, `${field}: a whole number from 1 to ${most.toLocaleString('en')}.`)
}

export function policyAfter(before: ApiKeyPolicy, input: ApiKeyPolicyInput): ApiKeyPolicy {
  const after = <Name extends keyof ApiKeyPolicy>(name: Name): ApiKeyPolicy[Name] => {
    const given = input[name]
    return given === undefined ? before[name] : (given ?? DEFAULT_POLICY[name])
  }
  return {
    maxKeys: after('maxKeys'),
    maxLifetimeDays: after('maxLifetimeDays'),
    expiryRequired: after('expiryRequired'),
    labelRequired: after('labelRequired'),
    allowedNetworks: after('allowedNetworks'),
    allowKeyManagement: after('allowKeyManagement'),
    rejectBrowsers: after('rejectBrowsers'),
  }
}

export const mostKeys = ({ maxKeys }: ApiKeyPolicy) => maxKeys ?? LIMITS.active_keys

/** Refuses the expiration of a new key, or its absence, where the policy does. */
export function checkExpiryAgainst(
  { expiryRequired, maxLifetimeDays }: ApiKeyPolicy,
  expiresAt: number | null,
  now: number,
): void {
  if (maxLifetimeDays !== null && (expiresAt === null || expiresAt > now + maxLifetimeDays * DAY)) {
    throw badInput(
      'expiresAt',
      `expiresAt: at most ${maxLifetimeDays} days from now, by the policy of the organization.`,
    )
  }
  if (expiryRequired && expiresAt === null)
    throw badInput('expiresAt', 'expiresAt: required, by the policy of the organization.')
}

/** The rules of a new key that are checked on every request, as far as they come from the policy. */
export const rulesFor = ({ allowedNetworks, rejectBrowsers, allowKeyManagement }: ApiKeyPolicy): StoredRules => ({
  networks: allowedNetworks,
  noBrowser: rejectBrowsers,
  noKeys: !allowKeyManagement,
})

/** The policy that applies to one key. Rules that matter only when a key is generated are those of the organization. */
export function policyOfKey({ rules }: Pick<ApiKey, 'rules'>, policy: ApiKeyPolicy): ApiKeyPolicy {
  const { networks, managesKeys, refusesBrowsers, needsLabel } = keyRules(rules)
  return {
    ...policy,
    labelRequired: policy.labelRequired || needsLabel,
    allowedNetworks: networks?.list ?? [],
    allowKeyManagement: managesKeys,
    rejectBrowsers: refusesBrowsers,
  }
}
