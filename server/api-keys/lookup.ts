import type { ApiKeyCaller } from '../ctx.ts'
import type { Database } from '../db/database.ts'
import { lookup } from '../db/lookup.ts'
import { hashSecret, isWellFormed } from '../lib/secret.ts'

/** What a secret turns out to be. The first use is told, so that it can be recorded at once. */
export type KeyLookup =
  | { outcome: 'accepted'; caller: ApiKeyCaller; firstUse: boolean }
  | { outcome: 'invalid' }
  | { outcome: 'expired' }

const INVALID: KeyLookup = { outcome: 'invalid' }

/** The only query on the way in, by the unique index on the hash. */
const keyBySecret = lookup({ secretHash: 'bytes' }, (db, { secretHash }) =>
  db
    .selectFrom('apiKey')
    .select(['id', 'organizationId', 'label', 'expiresAt', 'lastUsedAt'])
    .where('secretHash', '=', secretHash),
)

/** Asks the database whether the key is active now. The answer is never kept: a revoked key is refused at once (K10). */
export async function lookUpKey(database: Database, secret: string): Promise<KeyLookup> {
  if (!isWellFormed('emp_', secret)) return INVALID
  const { row: key, now } = await database.lookUp(keyBySecret, { secretHash: hashSecret(secret) })
  if (!key) return INVALID
  if (key.expiresAt !== null && key.expiresAt <= now) return { outcome: 'expired' }
  const { id: keyId, organizationId, label } = key
  return {
    outcome: 'accepted',
    caller: { kind: 'API_KEY', keyId, label, organizationId, role: 'ADMIN' },
    firstUse: key.lastUsedAt === null,
  }
}
