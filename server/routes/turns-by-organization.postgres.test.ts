import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Answer } from '../../test/support/http.ts'
import { newStorage, type Storage } from '../../test/support/storage.ts'
import { PATIENT } from '../../test/support/waiting.ts'
import { startWorld, type World } from '../../test/support/world.ts'
import { readConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open.ts'

/*
 * Whatever way one organization comes in, and however slow all that it asks for is: others find a connection.
 */

const CONNECTIONS = 4

type Call = (query: string) => Promise<Answer>

let storage: Storage
let world: World
let beside: Database
/** By key and by session, of the organization that takes all it can get, and of the other. */
let greedy: Record<'key' | 'session', Call>
let other: Record<'key' | 'session', Call>

beforeAll(async () => {
  storage = await newStorage()
  const url = new URL(storage.env['DATABASE_URL'] ?? '')
  url.searchParams.set('connection_limit', String(CONNECTIONS))
  world = await startWorld({ beside: { storage }, env: { DATABASE_URL: url.href }, timeouts: PATIENT })
  beside = await openDatabase(readConfig(storage.env), { timeouts: PATIENT })
  greedy = await callersOf('Ada', 'Acme')
  other = await callersOf('Ben', 'Binford')
})

afterAll(async () => {
  await world.close()
  await beside.close()
  await storage.remove()
})

async function callersOf(name: string, organization: string): Promise<Record<'key' | 'session', Call>> {
  const admin = await world.signUp(name)
  const { slug } = await world.organization(organization, { admin })
  const { secret } = await world.generateKey(admin, { slug })
  return { key: world.asKey(secret).call, session: (query) => admin.call(query, {}, slug) }
}

const READ = `{ ${Array.from({ length: 12 }, (_, i) => `d${i}: devices(first: 1) { data { id } }`).join(' ')} }`
const WRITE = 'mutation { checkInDevice(id: "d") { id } }'

const running = async () => {
  const { rows } = await sql<{ count: number }>`select count(*) as "count" from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(beside.read)
  return rows[0]?.count
}

it.each([
  ['key', 'reads', READ],
  ['key', 'writes', WRITE],
  ['session', 'reads', READ],
  ['session', 'writes', WRITE],
] as const)('C16: by %s, slow %s leave a connection to others', async (way, _kind, query) => {
  const letGo = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const lock = beside.transaction(async (db) => {
    await sql`lock table "device" in access exclusive mode`.execute(db)
    locked.resolve()
    await letGo.promise
  })
  onTestFinished(() => letGo.resolve())
  await locked.promise
  let answered = 0
  const slow = Array.from({ length: 20 }, () => greedy[way](query).then(() => answered++))
  await expect.poll(running).toBe(CONNECTIONS - 1)
  for (const call of Object.values(other)) {
    expect(await call('{ apiKeys { data { label } } }')).toMatchObject({ errors: [] })
    expect(await call('mutation { generateApiKey { apiKey { id } } }')).toMatchObject({ errors: [] })
  }
  expect(answered).toBe(0)
  letGo.resolve()
  await Promise.all([lock, ...slow])
})
