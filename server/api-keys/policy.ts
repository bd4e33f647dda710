import { type Ctx, requireAdmin } from '../ctx.ts'
import { keyRules, writeRules } from '../key-rules.ts'
import { badInput } from '../lib/check.ts'
import { DAY } from '../lib/clock.ts'
import { checkNetworks } from '../lib/network.ts'
import { LIMITS } from '../limits.ts'
import { currentOrganization, type Organization } from '../organizations/organization.ts'
import type { ApiKey } from './api-key.ts'

const MAX_LIFE_DAYS = 3650

/** What an organization asks of its keys. The rules of a single key are copied from it: see key-rules.ts. */
export interface ApiKeyPolicy {
  /** Null: only the number that all have. */
  maxKeys: number | null
  longestLifeDays: number | null
  endRequired: boolean
  labelRequired: boolean
  /** None: any. */
  allowedNetworks: readonly string[]
  keysManageKeys: boolean
  refuseBrowsers: boolean
}

/** What is absent stays, null goes back to the default. */
export type ApiKeyPolicyInput = { [Name in keyof ApiKeyPolicy]?: ApiKeyPolicy[Name] | null | undefined }

/** It asks for nothing (K6, K7). */
const DEFAULT_POLICY: ApiKeyPolicy = {
  maxKeys: null,
  longestLifeDays: null,
  endRequired: false,
  labelRequired: false,
  allowedNetworks: [],
  keysManageKeys: true,
  refuseBrowsers: false,
}

/** The policy of the caller's organization. */
export async function apiKeyPolicy(ctx: Ctx): Promise<ApiKeyPolicy> {
  requireAdmin(ctx.caller)
  return policyOf(await currentOrganization(ctx))
}

export function policyOf({ apiKeyPolicy }: Pick<Organization, 'apiKeyPolicy'>): ApiKeyPolicy {
  if (apiKeyPolicy === null) return DEFAULT_POLICY
  return { ...DEFAULT_POLICY, ...(JSON.parse(apiKeyPolicy) as Partial<ApiKeyPolicy>) } // only writePolicy puts it there
}

export function writePolicy(policy: ApiKeyPolicy): string | null {
  const text = JSON.stringify(policy)
  return text === JSON.stringify(DEFAULT_POLICY) ? null : text
}

/** Each value that is given, checked and in the one form under which it is stored. */
export function checkPolicyInput(input: ApiKeyPolicyInput): ApiKeyPolicyInput {
  checkRange('maxKeys', input.maxKeys, LIMITS.active_keys)
  checkRange('longestLifeDays', input.longestLifeDays, MAX_LIFE_DAYS)
  if (input.allowedNetworks == null) return input
  return { ...input, allowedNetworks: checkNetworks('allowedNetworks', input.allowedNetworks) }
}

function checkRange(field: string, value: number | null | undefined, most: number): void {
  if (value == null || (Number.isInteger(value) && value >= 1 && value <= most)) return
  throw badInput(field, `${field}: 1 to ${most}.`)
}

/** The policy once this input, which has been checked, is in force. */
export function policyAfter(before: ApiKeyPolicy, input: ApiKeyPolicyInput): ApiKeyPolicy {
  const after = <Name extends keyof ApiKeyPolicy>(name: Name): ApiKeyPolicy[Name] => {
    const given = input[name]
    return given === undefined ? before[name] : (given ?? DEFAULT_POLICY[name])
  }
  return {
    maxKeys: after('maxKeys'),
    longestLifeDays: after('longestLifeDays'),
    endRequired: after('endRequired'),
    labelRequired: after('labelRequired'),
    allowedNetworks: after('allowedNetworks'),
    keysManageKeys: after('keysManageKeys'),
    refuseBrowsers: after('refuseBrowsers'),
  }
}

export const mostKeys = ({ maxKeys }: ApiKeyPolicy) => maxKeys ?? LIMITS.active_keys

/** Refuses the end of a new key, or that it has none, where the policy does. */
export function checkEndAgainst(
  { endRequired, longestLifeDays }: ApiKeyPolicy,
  expiresAt: number | null,
  now: number,
): void {
  if (longestLifeDays !== null && (expiresAt === null || expiresAt > now + longestLifeDays * DAY)) {
    throw badInput('expiresAt', `expiresAt: an end at most ${longestLifeDays} days from now, by the policy.`)
  }
  if (endRequired && expiresAt === null) {
    throw badInput('expiresAt', 'expiresAt: an end is required, by the policy of the organization.')
  }
}

/** What the door holds a new key to, as it stands in its row. */
export const rulesFor = ({ allowedNetworks, refuseBrowsers, keysManageKeys }: ApiKeyPolicy): string | null =>
  writeRules({ networks: allowedNetworks, noBrowser: refuseBrowsers, noKeys: !keysManageKeys })

/** What one key is held to. Rules that are asked for only when a key is made are those of the organization. */
export function policyOfKey({ rules }: Pick<ApiKey, 'rules'>, policy: ApiKeyPolicy): ApiKeyPolicy {
  const { networks, managesKeys, refusesBrowsers, needsLabel } = keyRules(rules)
  return {
    ...policy,
    labelRequired: policy.labelRequired || needsLabel,
    allowedNetworks: networks?.list ?? [],
    keysManageKeys: managesKeys,
    refuseBrowsers: refusesBrowsers,
  }
}
