import { type Ctx, requireAdmin } from '../../caller/ctx.ts'
import { readRules } from '../../caller/key-rules.ts'
import { API_KEY_COLUMNS } from '../../db/api-key-row.ts'
import type { Db } from '../../db/tables.ts'
import { DAY } from '../../lib/clock.ts'
import { createNetworks } from '../../lib/network.ts'
import { currentOrganization } from '../../organizations/organization.ts'
import { type ApiKey, activeKeysOf } from '../api-key.ts'
import { descendantExists } from '../rotation/lineage.ts'
import { addressesOfKeys } from '../usage/read-usage.ts'
import { type ApiKeyPolicy, type ApiKeyPolicyInput, checkPolicyInput, policyAfter, policyOf } from './policy.ts'
import { API_KEY_RULES, type ApiKeyRule, consequenceOf } from './rules.ts'

export interface ApiKeyPolicyViolation {
  rule: ApiKeyRule
  apiKeys: ApiKey[]
  consequence: string
}

/** Which keys would violate which rules after this change. Nothing is changed. */
export async function apiKeyPolicyViolations(ctx: Ctx, input: ApiKeyPolicyInput): Promise<ApiKeyPolicyViolation[]> {
  requireAdmin(ctx.caller)
  const checked = checkPolicyInput(input)
  const policy = policyAfter(policyOf(await currentOrganization(ctx)), checked)
  return violationsAmong(ctx, policy, await activeKeys(ctx).execute())
}

/** In the order in which all transactions lock keys. */
export const activeKeys = ({ reads, caller, now }: Ctx) =>
  activeKeysOf(reads, caller.organizationId, now()).select(API_KEY_COLUMNS).orderBy('id')

/** A key that the rule applies to already does not violate it: its calls would be refused. */
export async function violationsAmong(
  ctx: Ctx,
  policy: ApiKeyPolicy,
  keys: ApiKey[],
): Promise<ApiKeyPolicyViolation[]> {
  const found: Record<ApiKeyRule, ApiKey[]> = {
    MAX_KEYS: surplus(ctx, policy, keys),
    MAX_LIFETIME: keys.filter((key) => exceedsMaxLifetime(policy, key, ctx.now())),
    EXPIRY_REQUIRED: policy.expiryRequired ? keys.filter((key) => key.expiresAt === null) : [],
    LABEL_REQUIRED: policy.labelRequired ? keys.filter(lacksLabel) : [],
    ALLOWED_NETWORKS: await calledFromOutside(ctx, policy, keys),
    ALLOW_KEY_MANAGEMENT: policy.allowKeyManagement ? [] : await managingKeys(ctx, keys),
    REJECT_BROWSERS: [], // the addresses of calls are recorded, the kind of program is not
  }
  return API_KEY_RULES.filter((rule) => found[rule].length > 0).map((rule) => ({
    rule,
    apiKeys: found[rule],
    consequence: consequenceOf(rule, policy),
  }))
}

const isCalling = ({ caller }: Ctx, key: ApiKey) => caller.kind === 'API_KEY' && caller.keyId === key.id

/** The least recently used go first, the calling key last. A key that has been replaced does not count. */
function surplus(ctx: Ctx, { maxKeys }: ApiKeyPolicy, keys: ApiKey[]): ApiKey[] {
  if (maxKeys === null) return []
  const lastUse = (key: ApiKey) => (isCalling(ctx, key) ? Number.MAX_VALUE : (key.lastUsedAt ?? key.createdAt))
  const inUse = keys.filter((key) => key.replacedById === null)
  return inUse.sort((a, b) => lastUse(a) - lastUse(b)).slice(0, Math.max(0, inUse.length - maxKeys))
}

/** A key that is old but expires soon does not violate it: applying the rule would not shorten its lifetime. */
function exceedsMaxLifetime({ maxLifetimeDays }: ApiKeyPolicy, { expiresAt }: ApiKey, now: number): boolean {
  if (maxLifetimeDays === null) return false
  return expiresAt === null || expiresAt > now + maxLifetimeDays * DAY
}

const lacksLabel = ({ labelled, rules }: ApiKey) => labelled === 0 && !readRules(rules).unlabelled

async function calledFromOutside(ctx: Ctx, { allowedNetworks }: ApiKeyPolicy, keys: ApiKey[]): Promise<ApiKey[]> {
  if (allowedNetworks.length === 0) return []
  const networks = createNetworks(allowedNetworks)
  const unrestricted = keys.filter((key) => readRules(key.rules).networks?.join() !== allowedNetworks.join())
  const ids = unrestricted.map((key) => key.id)
  const seen = await addressesOfKeys(ctx, ids)
  const addressesOf = (key: ApiKey) => [...lastAddress(ctx, key), ...(seen.get(key.id) ?? [])]
  return unrestricted.filter((key) => !addressesOf(key).every((address) => networks.contains(address)))
}

const UNKNOWN_ADDRESS = ''

function lastAddress(ctx: Ctx, key: ApiKey): string[] {
  if (key.lastUsedIp !== null) return [key.lastUsedIp]
  return isCalling(ctx, key) ? [UNKNOWN_ADDRESS] : []
}

/** Keys that generated keys which still exist, and keys that came from a key that rotates itself. */
async function managingKeys({ reads }: Ctx, keys: ApiKey[]): Promise<ApiKey[]> {
  const unrestricted = keys.filter((key) => !readRules(key.rules).noKeys)
  if (unrestricted.length === 0) return []
  const ids = unrestricted.map((key) => key.id)
  const creators = new Set((await creatorsAmong(reads, ids).execute()).map(({ id }) => id))
  return unrestricted.filter((key) => creators.has(key.id) || rotatesItself(key))
}

/** The first generated key of each is enough; in this order, so that it is found by the primary key. */
export const creatorsAmong = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('apiKey')
    .select('id')
    .where('id', 'in', ids)
    .where((eb) =>
      eb(
        eb
          .selectFrom('apiKeyLineage')
          .select('keyId')
          .whereRef('ancestorId', '=', 'apiKey.id')
          .where(descendantExists)
          .orderBy('keyId')
          .limit(1),
        'is not',
        null,
      ),
    )

const rotatesItself = (key: ApiKey) => key.replacesId !== null && key.createdById === key.replacesId
