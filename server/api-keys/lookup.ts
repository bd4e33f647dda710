import type { ApiKeyCaller } from '../ctx.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { hashSecret, isWellFormed } from '../lib/secret.ts'

/** What a secret turns out to be. The first use is told, so that it can be recorded at once. */
export type KeyLookup =
  | { outcome: 'accepted'; caller: ApiKeyCaller; firstUse: boolean }
  | { outcome: 'invalid' }
  | { outcome: 'expired' }

const INVALID: KeyLookup = { outcome: 'invalid' }

/** The only query on the way in, by the unique index on the hash. */
const findKey = prepared((db, { secretHash }: { secretHash: Uint8Array }) =>
  db
    .selectFrom('apiKey')
    .select(['id', 'organizationId', 'label', 'expiresAt', 'lastUsedAt'])
    .where('secretHash', '=', secretHash),
)

/** Asks the database whether the key is active now. The answer is never kept: a revoked key is refused at once (K10). */
export async function lookUpKey(db: Db, secret: string, now: number): Promise<KeyLookup> {
  if (!isWellFormed('emp_', secret)) return INVALID
  const [key] = await findKey(db, { secretHash: hashSecret(secret) })
  if (!key) return INVALID
  if (key.expiresAt !== null && key.expiresAt <= now) return { outcome: 'expired' }
  const { id: keyId, organizationId, label } = key
  return {
    outcome: 'accepted',
    caller: { kind: 'API_KEY', keyId, label, organizationId, role: 'ADMIN' },
    firstUse: key.lastUsedAt === null,
  }
}
