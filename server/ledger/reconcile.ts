import { deleteKeys } from '../api-keys/deletion.ts'
import { PORTAL } from '../api-keys/expiry/expiry.ts'
import type { RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import { unusableHash } from '../identity/password.ts'
import { partsOf } from '../lib/parts.ts'
import { type Reconciled, type Restored, tellOfRestore } from './restore-notice.ts'

const READ_AT_ONCE = 500

/**
 * Ends again what a restored database has brought back: first what is known to have ended, then everything of which
 * that is not recorded. Then all Admins are notified.
 */
export async function reconcile(
  db: Db,
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
  await tellOfRestore(db, reconciled, { now, origin, isHeld })
  return reconciled
}

async function endKeys(db: Db, rows: RevocationTable[], now: number): Promise<number> {
  let ended = 0
  for (const part of partsOf(rows, READ_AT_ONCE)) {
    const over = part.filter(({ endsAt }) => endsAt <= now).map(hashOf)
    const found =
      over.length === 0 ? [] : await db.selectFrom('apiKey').select('id').where('secretHash', 'in', over).execute()
    await deleteKeys(
      db,
      found.map(({ id }) => id),
      { at: now, by: PORTAL, cause: 'RESTORED' },
    )
    ended += found.length
    for (const row of part.filter(({ endsAt }) => endsAt > now)) ended += await shorten(db, row)
  }
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
    const { numDeletedRows } = await db
      .deleteFrom('membership')
      .where('organizationId', '=', organizationId)
      .where('userId', '=', subject)
      .where('createdAt', '<=', endsAt) // not one that began again since
      .executeTakeFirst()
    ended += Number(numDeletedRows)
  }
  return ended
}

async function endAdminRoles(db: Db, rows: RevocationTable[]): Promise<number> {
  let ended = 0
  for (const { organizationId, subject } of rows) {
    const { numUpdatedRows } = await db
      .updateTable('membership')
      .set({ role: 'MEMBER' })
      .where('organizationId', '=', organizationId)
      .where('userId', '=', subject)
      .where('role', '=', 'ADMIN')
      .executeTakeFirst()
    ended += Number(numUpdatedRows)
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
