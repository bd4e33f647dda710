import { sql } from 'kysely'
import { deleteKeys } from '../api-keys/deletion.ts'
import { PORTAL } from '../api-keys/expiry/expiry.ts'
import { isPostgres } from '../db/locks.ts'
import type { RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { unusableHash } from '../identity/password.ts'
import { partsOf } from '../lib/parts.ts'
import { notifyRestored, type Reconciled, type Restored } from './restore-notice.ts'

const READ_AT_ONCE = 500

/** Ends again what a restore has brought back, known or not recorded, and notifies all Admins. */
export async function reconcile(
  db: Transaction,
  missing: readonly RevocationTable[],
  { now, origin, isHeld }: Restored,
): Promise<Reconciled> {
  const of = (kind: RevocationTable['kind']) => missing.filter((row) => row.kind === kind)
  const reconciled: Reconciled = {
    keys: await endKeys(db, of('KEY'), now),
    memberships: await endMemberships(db, of('MEMBERSHIP')),
    adminRoles: await endAdminRoles(db, of('ADMIN_ROLE')),
    passwords: await endPasswords(db, of('PASSWORD')),
    sessions: await deleteAll(db, 'session'),
    invitations: await deleteAll(db, 'invitation'),
  }
  await endSupport(db, of('SUPPORT'))
  await deleteAll(db, 'passwordReset')
  await notifyRestored(db, reconciled, { now, origin, isHeld })
  return reconciled
}

async function endKeys(db: Transaction, rows: RevocationTable[], now: number): Promise<number> {
  const over = new Map(rows.filter(({ endsAt }) => endsAt <= now).map((row) => [row.subject, hashOf(row)]))
  let ended = 0
  for (const hashes of partsOf([...over.values()], READ_AT_ONCE)) {
    const keys = await db.selectFrom('apiKey').select('id').where('secretHash', 'in', hashes).execute()
    const ids = keys.map(({ id }) => id)
    await deleteKeys(db, ids, { at: now, by: PORTAL, cause: 'RESTORED' })
    ended += ids.length
  }
  for (const row of rows) if (row.endsAt > now && !over.has(row.subject)) ended += await shorten(db, row)
  return ended
}

/** A key that expires in the future, earlier than the restored database says. */
async function shorten(db: Db, row: RevocationTable): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('apiKey')
    .set({ expiresAt: row.endsAt })
    .where('secretHash', '=', hashOf(row))
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', row.endsAt)]))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

const hashOf = ({ subject }: RevocationTable): Uint8Array => Buffer.from(subject, 'hex')

async function endMemberships(db: Db, rows: RevocationTable[]): Promise<number> {
  let ended = 0
  for (const { organizationId, subject, endsAt } of rows) {
    const membership = db.deleteFrom('membership').where('organizationId', '=', organizationId)
    const before = membership.where('userId', '=', subject).where('createdAt', '<=', endsAt) // not one that began again since
    ended += Number((await before.executeTakeFirst()).numDeletedRows)
  }
  return ended
}

async function endAdminRoles(db: Db, rows: RevocationTable[]): Promise<number> {
  let ended = 0
  for (const { organizationId, subject } of rows) {
    const membership = db.updateTable('membership').set({ role: 'MEMBER' }).where('organizationId', '=', organizationId)
    const ofAdmin = membership.where('userId', '=', subject).where('role', '=', 'ADMIN')
    ended += Number((await ofAdmin.executeTakeFirst()).numUpdatedRows)
  }
  return ended
}

/** The restored password is the old one, which may have been changed because somebody else knew it. */
async function endPasswords(db: Db, rows: RevocationTable[]): Promise<number> {
  const people = new Set(rows.map(({ subject }) => subject))
  for (const id of people)
    await db.updateTable('user').set({ passwordHash: unusableHash() }).where('id', '=', id).execute()
  return people.size
}

async function endSupport(db: Db, rows: RevocationTable[]): Promise<void> {
  for (const { subject } of rows) await db.updateTable('user').set({ support: 0 }).where('id', '=', subject).execute()
}

async function deleteAll(db: Db, table: 'session' | 'invitation' | 'passwordReset'): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom(table).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Up to so many revocations, each is looked for among the keys; beyond that, each key among the revocations. */
const FEW = 50_000

/** Deletes keys that exist although their revocation is recorded, as after rows were copied; returns how many. */
export async function deleteReturnedKeys(db: Transaction, now: number): Promise<number> {
  const ids = await returnedKeys(db, now)
  await deleteKeys(db, ids, { at: now, by: PORTAL, cause: 'RESTORED' })
  return ids.length
}

export async function returnedKeys(db: Db, now: number): Promise<string[]> {
  const { sequence } = await db.selectFrom('revocationState').select('sequence').executeTakeFirstOrThrow()
  const found = await db
    .selectFrom(['apiKey', 'revocation'])
    .select('apiKey.id')
    .distinct()
    .where(sequence <= FEW ? hasSubjectAsHash(db) : hasHashAsSubject(db))
    .where(hasReturned(now))
    .execute()
  return found.map(({ id }) => id)
}

const hasSubjectAsHash = (db: Db) =>
  sql<boolean>`"secretHash" = ${isPostgres(db) ? sql`decode("subject", 'hex')` : sql`unhex("subject")`}`

const hasHashAsSubject = (db: Db) =>
  sql<boolean>`"subject" = ${isPostgres(db) ? sql`encode("secretHash", 'hex')` : sql`lower(hex("secretHash"))`}`

/** One that expires by then as well has not been brought back: it was rotated, or its life was shortened. */
const hasReturned = (now: number) =>
  sql<boolean>`"revocation"."kind" = 'KEY' and "revocation"."endsAt" <= ${now}
    and ("apiKey"."expiresAt" is null or "apiKey"."expiresAt" > "revocation"."endsAt")`
