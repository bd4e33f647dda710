import { sql } from 'kysely'
import { deleteKeys } from '../api-keys/deletion.ts'
import { PORTAL } from '../api-keys/expiry/expiry.ts'
import { isPostgres } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'

/** Up to so many revocations, each is looked for among the keys; beyond that, each key among the revocations. */
const FEW = 50_000

/**
 * Deletes keys that exist although their revocation is recorded: a restore that was no single transaction, or somebody
 * who copied rows, has brought them back. Returns how many there were.
 */
export async function deleteReturnedKeys(db: Db, now: number): Promise<number> {
  const ids = await returnedKeys(db, now)
  await deleteKeys(db, ids, { at: now, by: PORTAL, cause: 'RESTORED' })
  return ids.length
}

/** Their ids. */
export async function returnedKeys(db: Db, now: number): Promise<string[]> {
  const { sequence } = await db.selectFrom('revocationState').select('sequence').executeTakeFirstOrThrow()
  return sequence <= FEW ? byRevocation(db, now) : byKey(db, now)
}

const idOf = ({ id }: { id: string }) => id

/**
 * Of the revocations that have taken effect. A key that expires by then as well has not been brought back: it was rotated,
 * or its life was shortened.
 */
const hasReturned = (now: number) =>
  sql<boolean>`"revocation"."kind" = 'KEY' and "revocation"."endsAt" <= ${now}
    and ("apiKey"."expiresAt" is null or "apiKey"."expiresAt" > "revocation"."endsAt")`

async function byRevocation(db: Db, now: number): Promise<string[]> {
  const hash = isPostgres(db) ? sql<Uint8Array>`decode("subject", 'hex')` : sql<Uint8Array>`unhex("subject")`
  const found = await db
    .selectFrom('revocation')
    .innerJoin('apiKey', (join) => join.on('apiKey.secretHash', '=', hash))
    .select('apiKey.id')
    .distinct()
    .where(hasReturned(now))
    .execute()
  return found.map(idOf)
}

async function byKey(db: Db, now: number): Promise<string[]> {
  const subject = isPostgres(db) ? sql<string>`encode("secretHash", 'hex')` : sql<string>`lower(hex("secretHash"))`
  const found = await db
    .selectFrom('apiKey')
    .innerJoin('revocation', (join) => join.on('revocation.subject', '=', subject))
    .select('apiKey.id')
    .distinct()
    .where(hasReturned(now))
    .execute()
  return found.map(idOf)
}
