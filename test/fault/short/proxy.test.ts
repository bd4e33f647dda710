import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres-server.ts'
import { type DatabaseProxy, startProxy } from '../proxy.ts'
import { createRandom } from '../random.ts'

let server: PostgresServer
let proxy: DatabaseProxy
let time = 0

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.close())
beforeEach(async () => {
  proxy = await startProxy({ port: () => server.port, random: createRandom(4), now: () => time })
  onTestFinished(() => proxy.close())
})

function client(max = 1) {
  const address = server.url().replace(`:${server.port}/`, `:${proxy.port}/`)
  const sql = postgres(address, { max, fetch_types: false, onnotice: () => {}, backoff: () => 0.01 })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error)

it('forwards everything in order, also with a delay for each piece', async () => {
  const sql = client()
  proxy.set({ delayMs: 20 })
  const passing = setInterval(() => time++, 1)
  onTestFinished(() => clearInterval(passing))
  const long = 'x'.repeat(300_000)
  const asked = Array.from({ length: 50 }, (_, i) => sql`select ${i}::int as number, ${long.slice(i)}::text as text`)
  const answers = (await Promise.all(asked)).map(([row]) => [row?.['number'], row?.['text'].length])
  expect(answers).toEqual(asked.map((_, i) => [i, long.length - i]))
})

it('delayed: an answer arrives after the delay, and not before', async () => {
  const sql = client()
  await sql`select 1`
  proxy.set({ delayMs: 100 })
  let answered = false
  const underWay = sql`select 2 as two`.then((rows) => {
    answered = true
    return rows
  })
  const direct = postgres(server.url(), { max: 1, onnotice: () => {} })
  for (let i = 0; i < 20; i++) await direct`select 1`
  await direct.end()
  expect(answered).toBe(false)
  const passing = setInterval(() => {
    time += 50 // half of it for each way
  }, 1)
  expect(await underWay).toEqual([{ two: 2 }])
  clearInterval(passing)
})

it('cut: queries in progress fail, and the next connection works', async () => {
  const sql = client()
  await sql`select 1`
  const underWay = sql`select pg_sleep(5)`.catch(codeOf)
  await expect.poll(() => sleepers()).toBe(1)
  expect(proxy.cut()).toBe(1)
  expect(await underWay).toBe('CONNECTION_CLOSED')
  expect(await sql`select 2 as two`).toEqual([{ two: 2 }])
})

it('when the database or the client closes a connection, the other side is closed too', async () => {
  const sql = client()
  const direct = postgres(server.url(), { max: 1, onnotice: () => {} })
  const backend = async () => (await sql`select pg_backend_pid() as pid`)[0]?.['pid']
  const isThere = async (pid: number) => (await direct`select from pg_stat_activity where pid = ${pid}`).length > 0
  const first = await backend()
  await direct`select pg_terminate_backend(${first})`
  await expect.poll(() => backend().catch(codeOf)).toBeGreaterThan(0)
  const second = await backend()
  expect([second === first, await isThere(second)]).toEqual([false, true])
  await sql.end()
  await expect.poll(() => isThere(second)).toBe(false)
  await direct.end()
})

it('stalled: nothing arrives until it is over, and then everything does', async () => {
  const sql = client()
  await sql`create table stalled (number int)`
  proxy.set({ stalled: true })
  let answered = false
  const underWay = sql`insert into stalled values (1) returning number`.then((rows) => {
    answered = true
    return rows
  })
  const direct = postgres(server.url(), { max: 1, onnotice: () => {} })
  for (let i = 0; i < 20; i++) expect(await direct`select number from stalled`).toEqual([])
  await direct.end()
  expect(answered).toBe(false)
  proxy.set({})
  expect(await underWay).toEqual([{ number: 1 }])
})

it('refusing: no connection is made until it is over', async () => {
  const sql = client()
  proxy.set({ refusing: true })
  expect(await sql`select 1`.catch(codeOf)).toBe('ECONNRESET')
  proxy.set({})
  expect(await sql`select 2 as two`).toEqual([{ two: 2 }])
})

it('failing: the database itself refuses, and a transaction with such a failure commits nothing', async () => {
  const sql = client()
  await sql`create table failing (number int)`
  proxy.set({ failRate: 1 })
  const refusals = [sql`select 1`, sql`select ${1}::int`, sql`select 1`.simple(), sql`insert into failing values (1)`]
  for (const refusal of refusals) expect(await refusal.catch(codeOf)).toMatch(/^(53200|58030|XX000|57P03)$/)
  proxy.set({})
  const reserved = await sql.reserve()
  await reserved`begin`
  await reserved`insert into failing values (2)`
  proxy.set({ failRate: 1 })
  expect(await reserved`commit`.catch(codeOf)).toMatch(/^(53200|58030|XX000|57P03)$/)
  await reserved`rollback`
  proxy.set({})
  expect(await reserved`select count(*)::int from failing`).toEqual([{ count: 0 }])
  reserved.release()
  expect(proxy.statements().failed).toBe(5)
})

it('failing: each of a thousand statements has its own answer or an error, whatever the others have', async () => {
  const sql = client(3)
  proxy.set({ failRate: 0.3 })
  const ask = (i: number) => {
    const ways = [sql`select ${i}::int as is`, sql.unsafe(`select ${i} as is`), sql`select ${`${i}`}::text::int as is`]
    return ways[i % 3]?.then(([row]) => row?.['is'], codeOf)
  }
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, i) => ask(i)))
  const failed = answers.filter((answer) => typeof answer === 'string')
  expect(new Set(failed)).toEqual(new Set(['53200', '58030', 'XX000', '57P03']))
  expect(failed.length).toBe(proxy.statements().failed)
  expect(answers.filter((answer, i) => answer !== i && typeof answer !== 'string')).toEqual([])
})

async function sleepers(): Promise<number> {
  const sql = postgres(server.url(), { max: 1, onnotice: () => {} })
  const [row] = await sql`select count(*)::int from pg_stat_activity where query like 'select pg_sleep%'`
  await sql.end()
  return row?.['count']
}
