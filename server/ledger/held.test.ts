import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { AUDIT, auditLines } from '../../test/support/world/command-line.ts'
import { answerTo, withHeldPortal } from '../../test/support/world/held-portal.ts'
import { metricsOf } from '../../test/support/world/metrics.ts'
import { newStorage } from '../../test/support/world/storage.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { LIMITS } from '../config/limits.ts'
import { MIGRATIONS } from '../db/migrate.ts'

const HELD = '403 KEYS_HELD'
const REVOKED = '401 API_KEY_INVALID'
const ALL_HELD = { kept: HELD, other: HELD, lost: HELD, own: HELD, revoked: REVOKED }
const HELD_SINCE = '{ organization { apiKeysHeldSince } }'
const VERSION_BEFORE_LEDGER = 10

const it = withHeldPortal()

describe('a revocation that is missing on both sides', () => {
  it('C11, K9: no key is accepted, and people sign in, view and revoke meanwhile', async ({ held }) => {
    const world = await held.start()
    expect(await held.answersOf(world)).toEqual(ALL_HELD)
    const ada = await held.signIn(world, held.ada)
    const asAda = (query: string, variables = {}) => ada.call(query, variables, held.acme.slug)
    expect(await asAda('{ organization { apiKeysHeldSince } apiKeys { data { label } } }')).toMatchObject({
      data: {
        organization: { apiKeysHeldSince: expect.stringMatching(/Z$/) },
        apiKeys: { data: [{ label: 'lost' }, { label: 'other' }, { label: 'kept' }] },
      },
    })
    const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }'
    expect((await asAda(revoke, { id: held.keys.lost.id })).data).toEqual({ revokeApiKey: { durable: true } })
    expect(await held.answersOf(world)).toEqual({ ...ALL_HELD, lost: REVOKED })
    const generated = await world.generateKey(ada, held.acme, { label: 'new' })
    expect(await answerTo(world, generated), 'a new key waits too').toBe(HELD)
    await world.close()
  })

  it('only an Admin sees since when keys are held', async ({ held }) => {
    const world = await held.start()
    const bob = await held.signIn(world, held.bob)
    const asked = await bob.call(HELD_SINCE, {}, held.acme.slug)
    expect(asked.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    const own = await bob.call(HELD_SINCE, {}, bob.personalSlug)
    expect(own.data).toEqual({ organization: { apiKeysHeldSince: expect.any(String) } })
    await world.close()
  })

  it('C11: the audit log, the emails, the log and a metric say that keys are held', async ({ held }) => {
    const world = await held.start({ LOG_LEVEL: 'warn' })
    const ada = await held.signIn(world, held.ada)
    expect(auditLines(await ada.call(AUDIT, {}, held.acme.slug))).toContain(
      'DATABASE_RESTORED Acme ended again in the whole portal: keys 1, memberships 0, Admin roles 0, passwords 0, sessions 2, invitations 0; API keys are held until the operator of the portal decides which to accept by SYSTEM',
    )
    const emails = await world.database.read.selectFrom('email').select(['kind', 'recipient', 'text']).execute()
    expect(emails).toEqual([
      { kind: 'DATABASE_RESTORED', recipient: ada.email, text: expect.stringContaining('\nAPI keys are held until ') },
    ])
    expect(world.logged().filter((line) => line.includes('API keys are held: '))).toHaveLength(1)
    expect(await metricsOf(world)).toMatchObject({ portal_keys_held: 1, portal_ledger_failures_total: 0 })
    await world.close()
  })

  it('a call with a held key is neither a use of the key nor a wrong key of its source', async ({ held }) => {
    const world = await held.start({ RATE_LIMIT: '1' })
    const { kept } = held.keys
    const answers = await Promise.all(Array.from({ length: LIMITS.refused_keys + 1 }, () => answerTo(world, kept)))
    expect(new Set(answers)).toEqual(new Set([HELD]))
    await world.close() // which writes the counts
    const again = await held.start()
    const { read } = again.database
    const shown = read.selectFrom('apiKey').select('lastUsedAt').where('id', '=', kept.id)
    expect(await shown.executeTakeFirstOrThrow()).toEqual({ lastUsedAt: null })
    const counted = read.selectFrom('apiKeyUsage').select(['calls', 'errors']).where('keyId', '=', kept.id)
    const hours = await counted.execute() // two of them, if one ends meanwhile
    const sumOf = (what: 'calls' | 'errors') => hours.reduce((sum, hour) => sum + hour[what], 0)
    expect({ calls: sumOf('calls'), errors: sumOf('errors') }).toEqual({ calls: 0, errors: answers.length })
    await again.close()
  })

  it('C11, K9: the hold ends by itself when a process brings the missing revocation', async ({ held }) => {
    const world = await held.start({ LOG_LEVEL: 'warn' })
    const other = await held.start({ LEDGER: held.completeLedger })
    const free = { kept: '200', other: '200', own: '200', lost: REVOKED, revoked: REVOKED }
    expect(await held.answersOf(other)).toEqual(free)
    await expect.poll(() => held.answersOf(world)).toEqual(free)
    await expect.poll(() => world.logged().join('')).toContain('API keys are accepted again')
    expect(await metricsOf(world)).toMatchObject({ portal_keys_held: 0 })
    await Promise.all([world.close(), other.close()])
  })

  it('C11: a hold survives another restore of the same backup', async ({ held, storage }) => {
    await (await held.start()).close()
    await storage.restore()
    const world = await held.start()
    expect(await held.answersOf(world)).toEqual(ALL_HELD)
    await world.close()
  })
})

describe('a database from before the ledger', () => {
  it('C11, K9: is held, whatever the ledger has, until the operator decides', async ({ held, storage }) => {
    const world = await held.start({ LEDGER: held.completeLedger })
    expect(await answerTo(world, held.keys.kept)).toBe('200')
    await undoMigrations(world)
    await world.close()

    for (const LEDGER of [storage.ledger, held.completeLedger]) {
      const restored = await held.start({ LEDGER })
      expect(await answerTo(restored, held.keys.kept), LEDGER).toBe(HELD)
      await restored.close()
    }
    const ran = await held.run(['restore', 'accept', '--keep-all', '--yes'], { LEDGER: held.completeLedger })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const released = await held.start({ LEDGER: held.completeLedger })
    expect(await answerTo(released, held.keys.kept)).toBe('200')
    await released.close()
  })

  it('C11: an empty one is refused beside a ledger that was used', async ({ storage, held }) => {
    const empty = await newStorage()
    const beside = { storage: { ...empty, env: { ...empty.env, LEDGER: storage.ledger } } }
    await expect(startWorld({ beside })).rejects.toThrow(
      `The database is empty, but its ledger ${storage.ledger} is that of a portal in use: restore the database`,
    )
    await (await held.start()).close()
    await empty.remove()
  })
})

/** As it was before the ledger was introduced. */
const undoMigrations = ({ database }: World) =>
  database.transaction(async (db) => {
    const webhooks = ['webhook', 'webhookEvent', 'webhookDelivery', 'webhookProgress']
    const tables = ['revocation', 'revocationState', 'secretFingerprint', 'backupSchedule']
    for (const table of [
      ...tables,
      'apiKeyCallLog',
      'revokedApiKey',
      'canaryApiKey',
      'demoDevice',
      'idempotencyRecord',
      'storedBytes',
      'deviceCheckIns',
      'deviceView',
      ...webhooks,
    ])
      await sql`drop table ${sql.table(table)}`.execute(db)
    for (const column of ['rulesVersion', 'pausedUntil', 'pausedAt', 'pausedByKind', 'pausedById', 'pausedByName'])
      await sql`alter table "apiKey" drop column ${sql.ref(column)}`.execute(db)
    await sql`alter table "apiKeyUsageDay" drop column "fields"`.execute(db)
    for (const column of ['checkIns', 'firstCheckInAt'])
      await sql`alter table "device" drop column ${sql.ref(column)}`.execute(db)
    for (const index of ['auditEventBySubject', 'deviceByCreation', 'deviceByUpdate', 'invitationByRaisingKey'])
      await sql`drop index ${sql.ref(index)}`.execute(db)
    for (const column of ['subjectType', 'subjectId', 'changes', 'ip'])
      await sql`alter table "auditEvent" drop column ${sql.ref(column)}`.execute(db)
    for (const column of ['raisedByUserId', 'raisedByKeyId'])
      await sql`alter table "invitation" drop column ${sql.ref(column)}`.execute(db)
    expect(MIGRATIONS[VERSION_BEFORE_LEDGER]?.name).toContain('ledger')
    await db.deleteFrom('migration').where('version', '>', VERSION_BEFORE_LEDGER).execute()
  })
