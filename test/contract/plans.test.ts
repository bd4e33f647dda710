import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CompiledQuery, Kysely } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findApiKey } from '../../server/api-keys/api-key.ts'
import { logsBefore } from '../../server/api-keys/calls/call-retention.ts'
import { keysMadeAfter } from '../../server/api-keys/changes/key-with-descendants.ts'
import { newestEventsOf } from '../../server/api-keys/changes/list-changes.ts'
import { listExpiringKeys, oldestExpired } from '../../server/api-keys/expiry/expiry.ts'
import { listApiKeys } from '../../server/api-keys/list/list-keys.ts'
import { creatorsAmong } from '../../server/api-keys/policy/violations.ts'
import { listRevokedKeys, oldRevokedKeys } from '../../server/api-keys/revoked/revoked-key.ts'
import { descendantsOf } from '../../server/api-keys/rotation/lineage.ts'
import { daysBefore, hoursBefore } from '../../server/api-keys/usage/days.ts'
import { type AuditEventFilter, listAuditEvents } from '../../server/audit/audit-event.ts'
import { oldEvents } from '../../server/audit/audit-retention.ts'
import { eventsAfter } from '../../server/audit/export.ts'
import type { Ctx } from '../../server/caller/ctx.ts'
import { keyRules } from '../../server/caller/key-rules.ts'
import { verifyKey } from '../../server/caller/verify-key.ts'
import { readConfig } from '../../server/config.ts'
import type { Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { sqliteDialect } from '../../server/db/sqlite/dialect.ts'
import { SqliteConnection } from '../../server/db/sqlite/driver.ts'
import type { Tables } from '../../server/db/tables.ts'
import { expiredBefore } from '../../server/identity/expired-rows.ts'
import { lookUpSession } from '../../server/identity/session-lookup.ts'
import { encodeCursor } from '../../server/lib/page.ts'
import { oldEmails } from '../../server/mail/email-queue.ts'
import { listMail } from '../../server/mail/mail.ts'
import { countByStatus } from '../../server/overview/device-counts.ts'
import { idsOfLongOffline } from '../../server/overview/long-offline.ts'
import { mintSecret } from '../../server/secrets/secret.ts'
import { listUsers } from '../../server/users/person.ts'
import { LOOPBACK } from '../support/world/called-from.ts'
import { newStorage, type Storage } from '../support/world/storage.ts'

const after = encodeCursor(['x'])

let storage: Storage
let database: Database
let file: DatabaseSync
let ctx: Ctx
let asked: CompiledQuery[] = []

beforeAll(async () => {
  storage = await newStorage()
  const { dataDir } = readConfig(storage.env)
  const opened = await openDatabase({ dataDir })
  await migrate(opened)
  file = new DatabaseSync(join(dataDir, 'portal.db'), { readOnly: true })
  const db = new Kysely<Tables>({
    dialect: sqliteDialect(new SqliteConnection(file, { retryUntil: () => 0 }).executeQuery), // so that every query passes Kysely, which tells of it
    log: ({ query }) => {
      asked.push(query)
    },
  })
  Object.defineProperty(db, 'isTransaction', { value: true }) // inside one, nothing is counted to choose where to read
  database = {
    ...opened,
    async lookUp(lookup, values) {
      const answers = await lookup.ask(db, values)
      return { row: answers[0], now: 0, isHeld: false }
    },
  }
  ctx = { caller: { kind: 'SYSTEM', organizationId: 'x', role: 'ADMIN' }, reads: db, database, now: () => 0 }
})

afterAll(async () => {
  file.close()
  await database.close()
  await storage.remove()
})

/** How SQLite goes about the one query in this, a line a step; that nothing is found does not matter. */
async function planOf(work: () => Promise<unknown>): Promise<string[]> {
  asked = []
  await work().catch(() => {})
  const [query, another] = asked
  if (!query || another) throw new Error(`One query expected, not ${asked.length}.`)
  const values = query.parameters.map((value) => (typeof value === 'number' ? value : String(value)))
  const steps = file.prepare(`explain query plan ${query.sql}`).all(...values)
  return steps.map((step) => String(step['detail']))
}

it('K10: a key is found by the hash of its secret', async () => {
  expect(await planOf(async () => verifyKey(database, mintSecret('emp_'), LOOPBACK))).toEqual([
    'SCAN @state', // a table of one row
    'SEARCH apiKey USING INDEX sqlite_autoindex_apiKey_2 (secretHash=?) LEFT-JOIN',
  ])
})

it('a session is found by the hash of its token, and the membership by its ids', async () => {
  const person = [
    'SEARCH session USING INDEX sqlite_autoindex_session_2 (tokenHash=?)',
    'SEARCH user USING INDEX sqlite_autoindex_user_1 (id=?)',
  ]
  const role = 'SEARCH membership USING INDEX sqlite_autoindex_membership_1 (organizationId=? AND userId=?) LEFT-JOIN'
  const withState = (...steps: string[]) => ['MATERIALIZE @found', ...steps, 'SCAN @state', 'SCAN @found LEFT-JOIN']
  expect(await planOf(() => lookUpSession(database, mintSecret('ems_'), undefined))).toEqual(withState(...person, role))
  expect(await planOf(() => lookUpSession(database, mintSecret('ems_'), 'acme'))).toEqual(
    withState(...person, 'SEARCH organization USING INDEX sqlite_autoindex_organization_2 (slug=?) LEFT-JOIN', role),
  )
})

it('the keys of an organization are read in order', async () => {
  expect(await planOf(() => listApiKeys(ctx, {}))).toEqual([
    'SEARCH apiKey USING INDEX apiKeyByOrganization (organizationId=?)',
  ])
  expect(await planOf(() => listApiKeys(ctx, { after }))).toEqual([
    'SEARCH apiKey USING INDEX apiKeyByOrganization (organizationId=? AND id<?)',
  ])
  expect(await planOf(() => findApiKey(ctx, 'x'))).toEqual([
    'SEARCH apiKey USING INDEX sqlite_autoindex_apiKey_1 (id=?)',
  ])
})

it('descendants: for each key on the page only its ancestors are read, each by its whole key', async () => {
  expect(await planOf(() => descendantsOf(ctx, 'x', { after }))).toEqual([
    'CO-ROUTINE page',
    'SEARCH apiKeyLineage USING COVERING INDEX sqlite_autoindex_apiKeyLineage_1 (ancestorId=? AND keyId>?)',
    'CORRELATED SCALAR SUBQUERY 6',
    'SEARCH known USING COVERING INDEX sqlite_autoindex_apiKey_1 (id=?)',
    'SCAN page',
    'SEARCH apiKey USING INDEX apiKeyByOrganization (organizationId=? AND id=?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH maker USING COVERING INDEX sqlite_autoindex_apiKey_1 (id=?)',
    'CORRELATED SCALAR SUBQUERY 5',
    'CO-ROUTINE above',
    'SEARCH line USING INDEX apiKeyLineageByKey (keyId=?)',
    'SEARCH above',
    'CORRELATED SCALAR SUBQUERY 3',
    'SEARCH other USING COVERING INDEX sqlite_autoindex_apiKeyLineage_1 (ancestorId=? AND keyId=?)',
    'CORRELATED SCALAR SUBQUERY 4',
    'SEARCH known USING COVERING INDEX sqlite_autoindex_apiKey_1 (id=?)',
  ])
})

it('for keys that generated others, one generated key of each is read', async () => {
  expect(await planOf(() => creatorsAmong(ctx.reads, ['x', 'y']).execute())).toEqual([
    'SEARCH apiKey USING COVERING INDEX sqlite_autoindex_apiKey_1 (id=?)',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH apiKeyLineage USING COVERING INDEX sqlite_autoindex_apiKeyLineage_1 (ancestorId=?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH known USING COVERING INDEX sqlite_autoindex_apiKey_1 (id=?)',
  ])
})

it('keys to delete for new ones are searched within the organization, from the oldest on', async () => {
  expect(await planOf(() => oldestExpired(ctx.reads, 'x', 1).limit(10).execute())).toEqual([
    'SEARCH apiKey USING INDEX apiKeyByOrganization (organizationId=?)',
  ])
})

it.each<[AuditEventFilter & { after?: string }, string]>([
  [{}, 'auditEventByOrganization (organizationId=?)'],
  [{ after }, 'auditEventByOrganization (organizationId=? AND id<?)'],
  [{ action: 'user.left' }, 'auditEventByAction (organizationId=? AND action=?)'],
  [{ actorId: 'x' }, 'auditEventByActor (organizationId=? AND actorId=?)'],
  [{ actorId: 'x', after }, 'auditEventByActor (organizationId=? AND actorId=? AND id<?)'],
  [{ subjectId: 'x' }, 'auditEventBySubject (organizationId=? AND subjectId=?)'],
])('audit events are read from the newest on: %j', async ({ after, ...filter }, index) => {
  expect(await planOf(() => listAuditEvents(ctx, { after, filter }))).toEqual([
    `SEARCH auditEvent USING INDEX ${index}`,
  ])
})

it('audit events and emails without those of canary keys are read in the same way', async () => {
  const caller = { kind: 'API_KEY', organizationId: 'x', role: 'ADMIN', rules: keyRules('{"access":"READ_ONLY"}') }
  const reading = { ...ctx, caller: { ...caller, keyId: 'k', label: 'reads', calledFrom: LOOPBACK } } as Ctx
  expect(await planOf(() => listAuditEvents(reading, { after }))).toEqual([
    'SEARCH auditEvent USING INDEX auditEventByOrganization (organizationId=? AND id<?)',
  ])
  expect(await planOf(() => listMail(reading, { after }, { isSent: true }))).toEqual(
    await planOf(() => listMail(ctx, { after }, { isSent: true })),
  )
})

it('what keys have changed is read by their ids, and of each no more than a page', async () => {
  const wanted = {
    organizationId: 'x',
    actorIds: ['a', 'b'],
    except: ['c', 'canary_key.used'],
    from: 'd',
    before: 'e',
    most: 20,
  }
  expect(await planOf(() => newestEventsOf(ctx.reads, wanted).execute(ctx.reads))).toEqual([
    'SCAN actor VIRTUAL TABLE INDEX 1:',
    'SEARCH event USING COVERING INDEX sqlite_autoindex_auditEvent_1 (id=?)',
    'CORRELATED LIST SUBQUERY 1',
    'SEARCH auditEvent USING INDEX auditEventByActor (organizationId=? AND actorId=? AND id>? AND id<?)',
    'USE TEMP B-TREE FOR ORDER BY',
  ])
  const made = { organizationId: 'x', action: 'api_key.generated', after: 'a' } as const
  expect(await planOf(() => keysMadeAfter(ctx.reads, made).execute())).toEqual([
    'SEARCH auditEvent USING INDEX auditEventByAction (organizationId=? AND action=? AND id>?)',
  ])
})

it('old usage is found by its hour or day, not by its key', async () => {
  expect(await planOf(() => hoursBefore(ctx.reads, 1).execute())).toEqual([
    'SEARCH apiKeyUsage USING INDEX apiKeyUsageByHour (hour<?)',
  ])
  expect(await planOf(() => daysBefore(ctx.reads, 1).execute())).toEqual([
    'SEARCH apiKeyUsageDay USING INDEX apiKeyUsageDayByDay (day<?)',
  ])
})

it('calls that are too old, and revoked keys, are found by their time', async () => {
  expect(await planOf(() => logsBefore(ctx.reads, 1).execute())).toEqual([
    'SEARCH apiKeyCallLog USING INDEX apiKeyCallLogBySince (since<?)',
  ])
  expect(await planOf(() => oldRevokedKeys(1).find(ctx.reads, '', 250))).toEqual([
    'SEARCH revokedApiKey USING INDEX revokedApiKeyByAge (revokedAt<?)',
  ])
  expect(await planOf(() => listRevokedKeys(ctx, {}))).toEqual([
    'SEARCH revokedApiKey USING INDEX revokedApiKeyByTime (organizationId=?)',
  ])
})

it('old records are found by their ids, which begin with their time, and deleted by them', async () => {
  const tables = ['session', 'invitation', 'passwordReset', 'emailVerification'] as const
  const all = {
    auditEvent: oldEvents(1),
    email: oldEmails(1),
    ...Object.fromEntries(tables.map((each) => [each, expiredBefore(each, 1)])),
  }
  for (const [table, rows] of Object.entries(all)) {
    const [found, ...none] = await planOf(() => rows.find(ctx.reads, 'x', 250))
    expect([found, none]).toEqual([
      expect.stringMatching(`^SEARCH ${table} USING (COVERING )?INDEX \\w+_1 \\(id>\\? AND id<\\?\\)$`),
      [],
    ])
    expect(await planOf(() => rows.delete(ctx.reads, ['x', 'y']).execute())).toEqual([
      expect.stringMatching(`^SEARCH ${table} USING (COVERING )?INDEX \\w+_1 \\(id=\\?\\)$`),
    ])
  }
})

it('the audit log is exported in the order of its ids', async () => {
  const read = (organizationId?: string) =>
    planOf(() => eventsAfter(ctx.reads, 'x', { before: 1, organizationId }).execute())
  const organization = 'SEARCH organization USING INDEX sqlite_autoindex_organization_1 (id=?)'
  expect(await read()).toEqual(['SEARCH event USING INDEX sqlite_autoindex_auditEvent_1 (id>? AND id<?)', organization])
  expect(await read('x')).toEqual([
    organization,
    'SEARCH event USING INDEX auditEventByOrganization (organizationId=? AND id>? AND id<?)',
  ])
})

it('people are read in the order of the list, members and invitations side by side', async () => {
  const cursor = encodeCursor([1, 'x'])
  expect(await planOf(() => listUsers(ctx, { after: cursor }))).toEqual([
    'MERGE (UNION ALL)',
    'LEFT',
    'SEARCH membership USING INDEX membershipByCreation (organizationId=? AND (createdAt,userId)>(?,?))',
    'SEARCH user USING INDEX sqlite_autoindex_user_1 (id=?)',
    'RIGHT',
    'SEARCH invitation USING INDEX invitationByCreation (organizationId=? AND (createdAt,id)>(?,?))',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH apiKey USING INDEX sqlite_autoindex_apiKey_1 (id=?)',
  ])
})

it('devices by status are counted by index alone', async () => {
  expect(await planOf(() => countByStatus(ctx.reads, ctx.caller.organizationId, 0))).toEqual([
    'SCAN CONSTANT ROW',
    'SCALAR SUBQUERY 1',
    'SEARCH deviceCount USING INDEX sqlite_autoindex_deviceCount_1 (organizationId=?)',
    'SCALAR SUBQUERY 2',
    'SEARCH device USING COVERING INDEX deviceByLastSeen (organizationId=? AND lastSeenAt>?)',
    'SCALAR SUBQUERY 3',
    'SEARCH device USING COVERING INDEX deviceByLastSeen (organizationId=? AND lastSeenAt=?)',
  ])
})

it('devices that are offline for long are read by index, a bounded number', async () => {
  const { organizationId } = ctx.caller
  expect(await planOf(() => idsOfLongOffline(ctx.reads, organizationId, 0).execute())).toEqual([
    'CO-ROUTINE recent',
    'SEARCH device USING INDEX deviceByLastSeen (organizationId=? AND lastSeenAt>? AND lastSeenAt<?)',
    'SCAN recent',
  ])
})

it('expiring keys are searched within the organization', async () => {
  expect(await planOf(() => listExpiringKeys(ctx))).toEqual([
    'SEARCH apiKey USING INDEX apiKeyByOrganization (organizationId=?)',
    'USE TEMP B-TREE FOR ORDER BY',
  ])
})
