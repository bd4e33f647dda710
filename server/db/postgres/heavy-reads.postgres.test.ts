import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { newStorage } from '../../../test/support/world/storage.ts'
import { PATIENT } from '../../../test/support/world/waiting.ts'
import { readConfig } from '../../config.ts'
import { openDatabase } from '../open.ts'
import type { Db } from '../tables.ts'

async function open(parameters: string, statementMs: number) {
  const storage = await newStorage()
  const url = new URL(storage.env['DATABASE_URL'] ?? '')
  url.search = new URLSearchParams([...url.searchParams, ...new URLSearchParams(parameters)]).toString()
  const timeouts = { ...PATIENT, statementMs }
  const database = await openDatabase(readConfig({ ...storage.env, DATABASE_URL: url.href }), { timeouts })
  onTestFinished(async () => {
    await database.close()
    await storage.remove()
  })
  return database
}

const one = async (db: Db) => (await sql<{ one: number }>`select 1 as "one"`.execute(db)).rows[0]?.one
const sleep = (db: Db) => sql`select pg_sleep(600)`.execute(db)

it.each(['', 'pgbouncer=true'])(
  'C16: a heavy read ends at its time limit, and says what to do: %j',
  async (parameters) => {
    const database = await open(parameters, 1000)
    await expect(sleep(database.heavyRead({ organizationId: 'a' }))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Narrow the filter'),
    })
    expect(await one(database.heavyRead({ organizationId: 'a' }))).toBe(1)
  },
)

it.each(['', 'pgbouncer=true'])('C16: a heavy read is one process of the server: %j', async (parameters) => {
  const database = await open(parameters, 60_000)
  const { rows } = await sql<{ workers: string }>`select current_setting('max_parallel_workers_per_gather')
    as workers`.execute(database.heavyRead({ organizationId: 'a' }))
  expect(rows).toEqual([{ workers: '0' }])
})

it('C16: heavy reads of one organization use an eighth of the connections, and all of them half', async () => {
  const database = await open('connection_limit=16', 60_000)
  const asleep = (organizationId: string) =>
    Array.from({ length: 20 }, () => sleep(database.heavyRead({ organizationId })).catch(() => {}))
  const running = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as "count" from pg_stat_activity
      where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`.execute(database.read)
    return rows[0]?.count
  }
  asleep('a')
  await expect.poll(running).toBe(2)
  expect(await one(database.heavyRead({ organizationId: 'b' }))).toBe(1)
  for (const organizationId of ['b', 'c', 'd']) asleep(organizationId)
  await expect.poll(running).toBe(8)
  expect(await one(database.read)).toBe(1)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query like 'select pg_sleep%'`.execute(
    database.read,
  )
})
