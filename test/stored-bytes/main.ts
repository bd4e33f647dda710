import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { generateApiKey } from '../../server/api-keys/generate.ts'
import { revokeApiKey } from '../../server/api-keys/revoke.ts'
import { DELIVERY_ROW_BYTES } from '../../server/audit/webhook-events/count-deliveries.ts'
import type { Ctx, Stored } from '../../server/caller/ctx.ts'
import { readConfig } from '../../server/config.ts'
import type { Database } from '../../server/db/database.ts'
import { createDevice, updateDevice } from '../../server/devices/device.ts'
import { recordAnswer } from '../../server/graphql/idempotency/earlier-answers.ts'
import { createKeyedRequests } from '../../server/graphql/idempotency/keyed-request.ts'
import { openWithLedger } from '../../server/ledger/open-ledger.ts'
import { newId } from '../../server/lib/id.ts'
import { createLog } from '../../server/lib/log.ts'
import { insertOrganization } from '../../server/organizations/organization.ts'
import { runBackgroundJobs } from '../../server/process/background-jobs.ts'
import { startPostgres } from '../support/postgres/postgres-server.ts'
import { PORTAL_SECRET } from '../support/world/storage.ts'

/*
 * What an organization stores by the largest and by the smallest writes, in bytes on disk against the bytes that are
 * counted: npm run test:storage
 */

const LONG = 1000
const keyedRequest = createKeyedRequests(PORTAL_SECRET)
const TIMES = 400

/** Each character has four bytes. */
const words = (length: number, seed: number) =>
  Array.from({ length }, (_, i) => String.fromCodePoint(0x20000 + ((i * 7919 + seed * 104_729) % 40_000))).join('')

const device = (i: number) => ({
  name: words(80, i),
  description: words(LONG, i),
  location: {
    name: words(200, i),
    address: words(200, i + 1),
    latitude: -12.3456789,
    longitude: -123.456789,
    timeZone: 'America/Argentina/ComodRivadavia',
  },
  tags: Array.from({ length: 20 }, (_, tag) => words(40, i * 20 + tag)),
  firmwareVersion: words(80, i),
})

interface Measured {
  what: string
  times: number
  counted: number
  onDisk: number
}

const WRITES: Record<string, (ctx: Ctx, i: number) => Promise<unknown>> = {
  'the smallest device, created': (ctx, i) => createDevice(ctx, { name: `d${i}` }),
  'the largest device, created': (ctx, i) => createDevice(ctx, device(i)),
  'the largest change of a device': async (ctx, i) => updateDevice(ctx, await onlyDevice(ctx), device(1_000_000 + i)),
  'an answer of 120 KB, recorded': async (ctx, i) => record(ctx, 120_000, i),
  'an answer of 200 bytes, recorded': async (ctx, i) => record(ctx, 200, i),
  'a delivery of 15 KB that waits': (ctx, i) => wait(ctx, 15_000, i),
  'a delivery of 500 bytes that waits': (ctx, i) => wait(ctx, 500, i),
  'a key, generated and revoked': async (ctx) => revokeApiKey(ctx, (await generateApiKey(ctx, {})).apiKey.id),
}

async function onlyDevice(ctx: Ctx): Promise<string> {
  const devices = ctx.reads.selectFrom('device').select('id').where('organizationId', '=', ctx.caller.organizationId)
  return (await devices.executeTakeFirst())?.id ?? (await createDevice(ctx, { name: 'only' })).id
}

async function record(ctx: Ctx, length: number, i: number): Promise<void> {
  const result = { data: { text: words(length / 4, i) } }
  const request = keyedRequest(ctx.caller.organizationId, crypto.randomUUID(), '')
  await ctx.database.transaction((db) =>
    recordAnswer({ ...ctx, db } as Parameters<typeof recordAnswer>[0], request, { result, endsAny: false }),
  )
}

async function wait(ctx: Ctx, length: number, i: number): Promise<void> {
  const now = ctx.now()
  const delivery = { id: newId(now), webhookId: ctx.caller.organizationId, event: 'device.updated', attempts: 0 }
  const payload = words(length / 4, i)
  const times = { createdAt: now, retryUntil: now, nextAttemptAt: now }
  await ctx.database.transaction((db) =>
    db
      .insertInto('webhookDelivery')
      .values({ ...delivery, ...times, payload, state: 'PENDING' })
      .execute(),
  )
  ctx.noteStored?.({ bytes: DELIVERY_ROW_BYTES + Buffer.byteLength(payload), events: 1, eventBytes: 0 })
}

async function measure(database: Database, sizeNow: () => Promise<number>): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const [what, write] of Object.entries(WRITES)) {
    const { id: organizationId } = await database.transaction((db) =>
      insertOrganization(db, database.now(), { kind: 'ORGANIZATION', name: what, apiKeysEnabled: true }),
    )
    let counted = 0
    const noteStored = ({ bytes }: Stored) => {
      counted += bytes
    }
    const caller = { kind: 'SYSTEM', organizationId, role: 'ADMIN' } as const
    const ctx: Ctx = { caller, reads: database.read, database, now: database.now, noteStored }
    const before = await sizeNow()
    for (let i = 0; i < TIMES; i++) await write(ctx, i)
    measured.push({ what, times: TIMES, counted, onDisk: (await sizeNow()) - before })
  }
  return measured
}

function print(on: string, measured: Measured[]): void {
  process.stdout.write(`\n${on}: bytes of one, counted and on disk\n`)
  for (const { what, times, counted, onDisk } of measured) {
    const [one, disk] = [counted, onDisk].map((bytes) =>
      Math.round(bytes / times)
        .toLocaleString('en')
        .padStart(10),
    )
    process.stdout.write(`${what.padEnd(36)} ${one} ${disk}   ${(onDisk / counted).toFixed(2)} ×\n`)
  }
}

async function open(env: Record<string, string>) {
  const log = createLog('silent')
  const config = readConfig(env)
  const opened = await openWithLedger(config, { log })
  await runBackgroundJobs({ ...opened, config, log, now: opened.database.now, webDir: undefined })
  return opened.database
}

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'portal-stored-'))
const server = await startPostgres()
try {
  const sqlite = await open({ DATA_DIR: folder })
  print(
    'SQLite',
    await measure(sqlite, async () => {
      const { rows } = await sql<{ size: number }>`select sum("pgsize") as "size" from "dbstat"`.execute(sqlite.read)
      return rows[0]?.size ?? 0
    }),
  )
  await sqlite.close()
  const url = await server.createDatabase('portal')
  const postgres = await open({ DATABASE_URL: url, PORTAL_SECRET, LEDGER: join(folder, 'ledger.db') })
  print(
    'PostgreSQL',
    await measure(postgres, async () => {
      const { rows } = await sql<{ size: number }>`
        select sum(pg_total_relation_size("oid")) as "size" from pg_class
        where "relkind" = 'r' and "relnamespace" = 'public'::regnamespace`.execute(postgres.read)
      return Number(rows[0]?.size ?? 0)
    }),
  )
  await postgres.close()
} finally {
  await server.close()
  rmSync(folder, { recursive: true })
}
