import type { ApiKeyCaller } from '../ctx.ts'
import type { Database } from '../db/database.ts'
import { lookup } from '../db/lookup.ts'
import { type CalledFrom, type KeyRules, keyRules } from '../key-rules.ts'
import { timeOfId } from '../lib/id.ts'
import { hashSecret, isWellFormed } from '../lib/secret.ts'

/** A key that has been replaced: since when, and when it ends. */
export interface Outgoing {
  since: number
  until: number
}

/** What a secret turns out to be. The first use is told, so that it can be recorded at once. */
export type KeyLookup =
  | {
      outcome: 'accepted'
      caller: ApiKeyCaller
      firstUse: boolean
      rules: KeyRules
      outgoing: Outgoing | undefined
    }
  | { outcome: 'invalid' }
  | { outcome: 'expired'; keyId: string; label: string; organizationId: string }

const INVALID: KeyLookup = { outcome: 'invalid' }

/** The only query on the way in, by the unique index on the hash. */
const keyBySecret = lookup({ secretHash: 'bytes' }, (db, { secretHash }) =>
  db
    .selectFrom('apiKey')
    .select(['id', 'organizationId', 'label', 'expiresAt', 'lastUsedAt', 'rules', 'replacedById'])
    .where('secretHash', '=', secretHash),
)

/** Asks the database whether the key is active now. The answer is never kept: a revoked key is refused at once (K10). */
export async function lookUpKey(database: Database, secret: string, calledFrom: CalledFrom): Promise<KeyLookup> {
  if (!isWellFormed('emp_', secret)) return INVALID
  const { row: key, now } = await database.lookUp(keyBySecret, { secretHash: hashSecret(secret) })
  if (!key) return INVALID
  const { id: keyId, organizationId, label, expiresAt, replacedById } = key
  if (expiresAt !== null && expiresAt <= now) return { outcome: 'expired', keyId, label, organizationId }
  const rules = keyRules(key.rules)
  return {
    outcome: 'accepted',
    caller: {
      kind: 'API_KEY',
      keyId,
      label,
      organizationId,
      role: 'ADMIN',
      managesKeys: rules.managesKeys,
      calledFrom,
    },
    firstUse: key.lastUsedAt === null,
    rules,
    outgoing:
      replacedById === null || expiresAt === null ? undefined : { since: timeOfId(replacedById), until: expiresAt },
  }
}
