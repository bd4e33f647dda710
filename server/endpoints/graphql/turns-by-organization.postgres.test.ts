import { sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import { startWorldBy } from '../../../test/support/postgres/postgres-way.ts'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import type { Answer } from '../../../test/support/world/http.ts'
import { PATIENT } from '../../../test/support/world/waiting.ts'
import type { World } from '../../../test/support/world/world.ts'
import { readConfig } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { openDatabase } from '../../db/open.ts'

/*
 * Whatever way one organization comes in, and however slow all that it asks for is: others find a connection.
 */

const CONNECTIONS = 4

type Call = (query: string) => Promise<Answer>

const it = inWorld(() => startWorldBy(withFewConnections, { timeouts: PATIENT }))
  .extend('beside', { scope: 'file' }, async ({ world }, { onCleanup }) => {
    const beside = await openDatabase(readConfig(world.storage.env), { timeouts: PATIENT })
    onCleanup(beside.close)
    return beside
  })
  /** By key and by session, of the organization that takes all it can get, and of the other. */
  .extend('greedy', { scope: 'file' }, ({ world }) => callersOf(world, 'Ada', 'Acme'))
  .extend('other', { scope: 'file' }, ({ world }) => callersOf(world, 'Ben', 'Binford'))

async function withFewConnections(address: string) {
  const url = new URL(address)
  url.searchParams.set('connection_limit', String(CONNECTIONS))
  return { url: url.href, close: async () => {} }
}

async function callersOf(world: World, name: string, organization: string): Promise<Record<'key' | 'session', Call>> {
  const admin = await world.signUp(name)
  const { call, generateKey } = await world.organization(organization, { admin })
  const { secret } = await generateKey()
  return { key: world.asKey(secret).call, session: call }
}

/** Each page has another size, in every call: equal reads that wait are sent once. */
const read = (call: number) =>
  `{ ${Array.from({ length: 12 }, (_, i) => `d${i}: devices(first: ${call * 12 + i + 1}) { data { id } }`).join(' ')} }`
const write = () => 'mutation { checkInDevice(id: "d") { id } }'

const running = async (beside: Database) => {
  const { rows } = await sql<{ count: number }>`select count(*) as "count" from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(beside.read)
  return rows[0]?.count
}

it.for([
  ['key', 'reads', read],
  ['key', 'writes', write],
  ['session', 'reads', read],
  ['session', 'writes', write],
] as const)(
  'C16: by %s, slow %s leave a connection to others',
  async ([way, _kind, queryOf], { beside, greedy, other }) => {
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
    const slow = Array.from({ length: 20 }, (_, i) => greedy[way](queryOf(i)).then(() => answered++))
    await expect.poll(() => running(beside)).toBe(CONNECTIONS - 1)
    for (const call of Object.values(other)) {
      expect(await call('{ apiKeys { data { label } } }')).toMatchObject({ errors: [] })
      expect(await call('mutation { generateApiKey { apiKey { id } } }')).toMatchObject({ errors: [] })
    }
    expect(answered).toBe(0)
    letGo.resolve()
    await Promise.all([lock, ...slow])
  },
)
