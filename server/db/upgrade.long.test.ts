import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LOOPBACK } from '../../test/support/world/called-from.ts'
import { verifyKey } from '../caller/verify-key.ts'
import { isReserved } from '../organizations/slug.ts'
import { hashSecret, mintSecret, SECRET_PREFIXES } from '../secrets/secret.ts'
import type { Database } from './database.ts'
import { MIGRATIONS, migrate } from './migrate.ts'
import { type Migration, statementOf, stepsOf } from './migration-steps.ts'
import * as firstTables from './migrations/0001-first-tables.ts'
import * as neverSeen from './migrations/0002-never-seen.ts'
import * as lifeOfAKey from './migrations/0003-life-of-a-key.ts'
import { openDatabase } from './open.ts'
import type { Db } from './tables.ts'

let folder: string
let database: Database

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portal-'))
  database = await openDatabase({ dataDir: folder })
})
afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A database as an older version left it; by default the one before keys had usage, rules and ends. */
async function leaveAsBefore(db: Db, migrations: readonly Migration[] = [firstTables, neverSeen]): Promise<void> {
  await sql`create table "migration" ("version" integer primary key, "name" text not null, "appliedAt" integer not null) strict`.execute(
    db,
  )
  for (const [index, migration] of migrations.entries()) {
    for (const step of stepsOf(migration, database.columnTypes)) await sql.raw(statementOf(step)).execute(db)
    await db
      .insertInto('migration')
      .values({ version: index + 1, name: migration.name, appliedAt: 0 })
      .execute()
  }
}

it('keys of an older database are accepted as before, and generated labels are known as such', async () => {
  const secrets = [mintSecret('emp_'), mintSecret('emp_')]
  const labels = ['nightly export', 'Key of 2026-11-15 12:00']
  await database.transaction(async (db) => {
    await leaveAsBefore(db)
    await sql`insert into "organization" values ('o', 'ORGANIZATION', 'Acme', 'acme', 'acme', 1, 0)`.execute(db)
    for (const [i, secret] of secrets.entries()) {
      await sql`insert into "apiKey" ("id", "organizationId", "label", "start", "secretHash", "createdAt", "createdByKind", "createdByName")
        values (${`k${i}`}, 'o', ${labels[i]}, 'emp_', ${hashSecret(secret)}, 0, 'SYSTEM', 'x')`.execute(db)
    }
  })

  expect((await migrate(database)).applied[0]).toBe('usage, ends, rotation and policy of keys, and mail')
  for (const secret of secrets) {
    expect(await verifyKey(database, secret, LOOPBACK)).toMatchObject({ outcome: 'accepted', rotated: undefined })
  }
  const keys = database.read.selectFrom('apiKey').select(['label', 'labelled', 'rules', 'expiresAt']).orderBy('id')
  expect(await keys.execute()).toEqual([
    { label: labels[0], labelled: 1, rules: null, expiresAt: null },
    { label: labels[1], labelled: 0, rules: null, expiresAt: null },
  ])
})

it('C14: of the people in an older database, those created by the command line count as verified, and new paths are no slugs', async () => {
  const people = [
    { id: 'ada', actor: 'SYSTEM' },
    { id: 'eve', actor: 'USER' },
  ]
  await database.transaction(async (db) => {
    await leaveAsBefore(db)
    await sql`insert into "organization" values ('o-123456', 'ORGANIZATION', 'x', 'x', 'verify-email', 1, 0)`.execute(
      db,
    )
    for (const { id, actor } of people) {
      await sql`insert into "organization" values (${id}, 'PERSONAL', 'x', 'x', ${id}, 0, 0)`.execute(db)
      await sql`insert into "user" values (${id}, ${id}, 'x', 'x', 0, ${id}, 7)`.execute(db)
      await sql`insert into "auditEvent" ("id", "organizationId", "at", "action", "actorKind", "actorName")
        values (${id}, ${id}, 0, 'organization.created', ${actor}, 'x')`.execute(db)
    }
  })

  await migrate(database)
  const verified = database.read.selectFrom('user').select(['id', 'emailVerifiedAt']).orderBy('id')
  expect(await verified.execute()).toEqual([
    { id: 'ada', emailVerifiedAt: 7 },
    { id: 'eve', emailVerifiedAt: null },
  ])
  const renamed = database.read.selectFrom('organization').select('slug').where('kind', '=', 'ORGANIZATION')
  expect(await renamed.execute()).toEqual([{ slug: 'verify-email-123456' }])
})

it('organizations of an older database at paths that the portal has now get another slug, and all others keep theirs', async () => {
  const slugs = ['mcp', 'forgot-password', 'leaks', 'mcp-2', 'acme']
  await database.transaction(async (db) => {
    await leaveAsBefore(db)
    for (const slug of slugs) {
      await sql`insert into "organization" values (${`id0${slug}`}, 'ORGANIZATION', 'x', 'x', ${slug}, 1, 0)`.execute(
        db,
      )
    }
  })

  await migrate(database)
  const renamed = await database.read.selectFrom('organization').select('slug').orderBy('id').execute()
  expect(renamed.map(({ slug }) => slug).sort()).toEqual([
    'acme',
    'forgot-password-id0forgot-password',
    'leaks-id0leaks',
    'mcp-2',
    'mcp-id0mcp',
  ])
  expect(renamed.filter(({ slug }) => isReserved(slug))).toEqual([])
})

it('C13: invitations of an older database are deleted, and no email with their links is sent', async () => {
  await database.transaction(async (db) => {
    await leaveAsBefore(db, [firstTables, neverSeen, lifeOfAKey])
    await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
      values ('o', 'ORGANIZATION', 'Acme', 'acme', 'acme', 1, 0)`.execute(db)
    await sql`insert into "invitation" ("id", "organizationId", "email", "name", "role", "tokenHash", "createdAt", "expiresAt")
      values ('i', 'o', 'eve@example.com', '', 'ADMIN', ${hashSecret(mintSecret('emi_'))}, 0, ${2 ** 50})`.execute(db)
    for (const [kind, sealed] of [
      ['INVITATION', 1],
      ['PASSWORD_RESET', 1],
      ['KEY_ENDS', 0],
    ] as const) {
      await sql`insert into "mail" ("id", "organizationId", "kind", "recipient", "subject", "text", "sealed", "createdAt",
        "usefulUntil", "nextTryAt", "tries") values (${kind}, 'o', ${kind}, 'x', 'x', 'x', ${sealed}, 0, 5, 0, 0)`.execute(
        db,
      )
    }
  })

  await migrate(database)
  expect(await database.read.selectFrom('invitation').select('id').execute()).toEqual([])
  const useful = database.read.selectFrom('email').select('id').where('usefulUntil', '>', 0)
  expect(await useful.execute()).toEqual([{ id: 'KEY_ENDS' }])
})

it('secrets, control characters and long texts that older versions stored about calls are removed', async () => {
  const left = [
    { agent: 'curl/8.1 memo_1 100%', operation: 'Nightly' },
    ...SECRET_PREFIXES.map((prefix) => ({ agent: `curl ${mintSecret(prefix)}`, operation: mintSecret(prefix) })),
    { agent: mintSecret('emp_').replace('_', '%5F'), operation: 'x'.repeat(81) },
    { agent: 'x'.repeat(201), operation: '\u202eop' },
    { agent: 'curl\u009b31m', operation: 'op\u001b[2J' },
  ]
  await database.transaction(async (db) => {
    await leaveAsBefore(db, MIGRATIONS.slice(0, 6))
    await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
      values ('o', 'ORGANIZATION', 'Acme', 'acme', 'acme', 1, 0)`.execute(db)
    for (const [i, { agent, operation }] of left.entries()) {
      await sql`insert into "apiKey" ("id", "organizationId", "label", "start", "secretHash", "createdAt", "createdByKind", "createdByName", "lastUsedAgent", "lastUsedFor")
        values (${`k${i}`}, 'o', 'x', 'emp_', ${hashSecret(`${i}`)}, 0, 'SYSTEM', 'x', ${agent}, ${operation})`.execute(
        db,
      )
    }
  })

  await migrate(database)
  const keys = database.read.selectFrom('apiKey').select(['lastUsedUserAgent', 'lastUsedOperation']).orderBy('id')
  expect(await keys.execute()).toEqual([
    { lastUsedUserAgent: 'curl/8.1 memo_1 100%', lastUsedOperation: 'Nightly' },
    ...left.slice(1).map(() => ({ lastUsedUserAgent: null, lastUsedOperation: null })),
  ])
})

it('emails and audit events of an older database get the current names', async () => {
  await database.transaction(async (db) => {
    await leaveAsBefore(db, MIGRATIONS.slice(0, 9))
    await sql`insert into "email" ("id", "kind", "recipient", "subject", "text", "sealed", "createdAt", "usefulUntil",
      "nextTryAt", "tries") values ('e', 'KEY_ENDS', 'x', 'x', 'x', 0, 0, 5, 0, 0)`.execute(db)
    await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
      values ('o', 'ORGANIZATION', 'Acme', 'acme', 'acme', 1, 0)`.execute(db)
    for (const action of ['api_key.end_announced', 'user.reset_link_made', 'user.left']) {
      await sql`insert into "auditEvent" ("id", "organizationId", "at", "action", "actorKind", "actorName")
        values (${action}, 'o', 0, ${action}, 'SYSTEM', 'x')`.execute(db)
    }
  })

  await migrate(database)
  expect(await database.read.selectFrom('email').select(['kind', 'encrypted']).execute()).toEqual([
    { kind: 'KEY_EXPIRY', encrypted: 0 },
  ])
  expect(await database.read.selectFrom('auditEvent').select('action').orderBy('id').execute()).toEqual([
    { action: 'api_key.expiry_notified' },
    { action: 'user.left' },
    { action: 'user.reset_link_created' },
  ])
})

it('usage, lineage and notifications of keys are kept, and no longer go with their key', async () => {
  const rows = {
    apiKeyLineage: { ancestorId: 'gone', keyId: 'k' },
    apiKeyUsage: { keyId: 'k', hour: 1, writer: 'w', calls: 2, errors: 3, seen: '{}' },
    apiKeyUsageDay: { keyId: 'k', day: 1, calls: 2, errors: 3 },
    apiKeyExpiryNotification: { keyId: 'k', expiresAt: 1, days: 2, at: 3 },
  }
  await database.transaction(async (db) => {
    await leaveAsBefore(db, MIGRATIONS.slice(0, 8))
    await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
      values ('o', 'ORGANIZATION', 'Acme', 'acme', 'acme', 1, 0)`.execute(db)
    await sql`insert into "apiKey" ("id", "organizationId", "label", "prefix", "secretHash", "createdAt", "createdByKind", "createdByName")
      values ('k', 'o', 'x', 'emp_', ${hashSecret('k')}, 0, 'SYSTEM', 'x')`.execute(db)
    for (const [table, row] of Object.entries(rows)) {
      const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)))
      const name = sql.table(table === 'apiKeyExpiryNotification' ? 'apiKeyWarning' : table) // as it was called then
      await sql`insert into ${name} (${columns}) values (${sql.join(Object.values(row))})`.execute(db)
    }
  })

  await migrate(database)
  await database.transaction((db) => db.deleteFrom('apiKey').execute())
  for (const [table, row] of Object.entries(rows)) {
    const kept = database.read.selectFrom(table as keyof typeof rows).selectAll()
    expect(await kept.execute()).toMatchObject([row])
  }
})
