import { type Ctx, requireAdmin } from '../ctx.ts'
import type { Db } from '../db/tables.ts'
import { readRules } from '../key-rules.ts'
import { DAY } from '../lib/clock.ts'
import { createNetworks } from '../lib/network.ts'
import { currentOrganization } from '../organizations/organization.ts'
import { API_KEY_COLUMNS, type ApiKey, activeKeysOf } from './api-key.ts'
import { type ApiKeyPolicy, type ApiKeyPolicyInput, checkPolicyInput, policyAfter, policyOf } from './policy.ts'
import { API_KEY_RULES, type ApiKeyRule, consequenceOf } from './policy-rules.ts'
import { addressesOfKeys } from './usage-read.ts'

/** Keys that are there already and break a rule. */
export interface ApiKeyPolicyBreach {
  rule: ApiKeyRule
  apiKeys: ApiKey[]
  consequence: string
}

/** Which keys would break which rules with this input in force. Nothing is changed. */
export async function apiKeyPolicyBreaches(ctx: Ctx, input: ApiKeyPolicyInput): Promise<ApiKeyPolicyBreach[]> {
  requireAdmin(ctx.caller)
  const checked = checkPolicyInput(input)
  const policy = policyAfter(policyOf(await currentOrganization(ctx)), checked)
  return breachesAmong(ctx, policy, await activeKeys(ctx).execute())
}

/** In the order in which everybody locks them. */
export const activeKeys = ({ db, caller, now }: Ctx) =>
  activeKeysOf(db, caller.organizationId, now()).select(API_KEY_COLUMNS).orderBy('id')

/** A key that is held to the rule already does not break it: it is refused where it would. */
export async function breachesAmong(ctx: Ctx, policy: ApiKeyPolicy, keys: ApiKey[]): Promise<ApiKeyPolicyBreach[]> {
  const found: Record<ApiKeyRule, ApiKey[]> = {
    MAX_KEYS: surplus(ctx, policy, keys),
    LONGEST_LIFE: keys.filter((key) => livesTooLong(policy, key, ctx.now())),
    END_REQUIRED: policy.endRequired ? keys.filter((key) => key.expiresAt === null) : [],
    LABEL_REQUIRED: policy.labelRequired ? keys.filter(lacksLabel) : [],
    ALLOWED_NETWORKS: await calledFromOutside(ctx, policy, keys),
    KEYS_MANAGE_KEYS: policy.keysManageKeys ? [] : await managingKeys(ctx, keys),
    REFUSE_BROWSERS: [], // from where a key was called is known, by what kind of program is not
  }
  return API_KEY_RULES.filter((rule) => found[rule].length > 0).map((rule) => ({
    rule,
    apiKeys: found[rule],
    consequence: consequenceOf(rule, policy),
  }))
}

const isCalling = ({ caller }: Ctx, key: ApiKey) => caller.kind === 'API_KEY' && caller.keyId === key.id

/** The least recently used go first, the key that is calling last. One that has been replaced takes no room. */
function surplus(ctx: Ctx, { maxKeys }: ApiKeyPolicy, keys: ApiKey[]): ApiKey[] {
  if (maxKeys === null) return []
  const lastUse = (key: ApiKey) => (isCalling(ctx, key) ? Number.MAX_VALUE : (key.lastUsedAt ?? key.createdAt))
  const inUse = keys.filter((key) => key.replacedById === null)
  return inUse.sort((a, b) => lastUse(a) - lastUse(b)).slice(0, Math.max(0, inUse.length - maxKeys))
}

/** One that has lived long and ends soon is left alone: to apply the rule would not shorten its life. */
function livesTooLong({ longestLifeDays }: ApiKeyPolicy, { expiresAt }: ApiKey, now: number): boolean {
  if (longestLifeDays === null) return false
  return expiresAt === null || expiresAt > now + longestLifeDays * DAY
}

const lacksLabel = ({ labelled, rules }: ApiKey) => labelled === 0 && !readRules(rules).unlabelled

async function calledFromOutside(ctx: Ctx, { allowedNetworks }: ApiKeyPolicy, keys: ApiKey[]): Promise<ApiKey[]> {
  if (allowedNetworks.length === 0) return []
  const networks = createNetworks(allowedNetworks)
  const free = keys.filter((key) => readRules(key.rules).networks?.join() !== allowedNetworks.join())
  const seen = await addressesOfKeys(
    ctx,
    free.map((key) => key.id),
  )
  const addressesOf = (key: ApiKey) => [...lastAddress(ctx, key), ...(seen.get(key.id) ?? [])]
  return free.filter((key) => !addressesOf(key).every((address) => networks.hold(address)))
}

const NOT_KNOWN_YET = ''

function lastAddress(ctx: Ctx, key: ApiKey): string[] {
  if (key.lastUsedFrom !== null) return [key.lastUsedFrom]
  return isCalling(ctx, key) ? [NOT_KNOWN_YET] : []
}

/** Those that have made keys which are still there, and those that came out of a key that rotates itself. */
async function managingKeys({ db }: Ctx, keys: ApiKey[]): Promise<ApiKey[]> {
  const free = keys.filter((key) => !readRules(key.rules).noKeys)
  if (free.length === 0) return []
  const ids = free.map((key) => key.id)
  const makers = new Set((await makersAmong(db, ids).execute()).map(({ id }) => id))
  return free.filter((key) => makers.has(key.id) || rotatesItself(key))
}

/** Of each the first key that it has made is enough; in this order, so that it is found by the primary key. */
export const makersAmong = (db: Db, ids: readonly string[]) =>
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
          .orderBy('keyId')
          .limit(1),
        'is not',
        null,
      ),
    )

const rotatesItself = (key: ApiKey) => key.replacesId !== null && key.createdById === key.replacesId
