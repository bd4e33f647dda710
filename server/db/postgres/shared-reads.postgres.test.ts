import type { Sql } from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { askOnce } from '../../../test/support/postgres-sql.ts'
import { newStorage, type Storage } from '../../../test/support/storage.ts'
import { PATIENT } from '../../../test/support/waiting.ts'
import { readConfig } from '../../config.ts'
import { PostgresPool } from './pool.ts'
import { connectToPrimary } from './primary.ts'
import { type Rows, SharedReads } from './shared-reads.ts'
import { POSTGRES_TIMEOUTS, type PostgresTimeouts } from './timeouts.ts'

/*
 * Reads on a shared connection beside the same reads alone, each on a connection of the pool: whatever happens to one of
 * them, every caller gets what it would have got alone.
 */

const LOCK = 4711
const WAIT = `select pg_advisory_xact_lock_shared(${LOCK})::text as "waited", $1::text as "text"`
const ECHO = 'select $1::text as "text"'

let storage: Storage
let ways: Ways

interface Ways {
  shared: SharedReads
  /** How many reads of the shared connection were read alone. */
  left: () => number
  isCurrent: boolean
  together(text: string, values: readonly unknown[], organizationId?: string): Promise<Rows>
  alone(text: string, values: readonly unknown[]): Promise<Rows>
  close(): void
}

beforeAll(async () => {
  storage = await newStorage()
  await onTheSide((sql) => sql.unsafe('create table "item" ("id" bigint primary key, "name" text, "hash" bytea)'))
  await onTheSide((sql) => sql.unsafe(`insert into "item" values (1, 'one', '\\x00ff'), (2, null, null)`))
})

afterAll(() => storage.remove())

beforeEach(async () => {
  ways = await openWays()
})

afterEach(() => ways.close())

const url = () => storage.env['DATABASE_URL'] ?? ''
const onTheSide: ReturnType<typeof askOnce> = (work) => askOnce(url())(work)

/** With timeouts for the shared connection only: nobody who reads alone is cut off on a busy machine. */
async function openWays(given: Partial<PostgresTimeouts> = {}): Promise<Ways> {
  const { postgres: address } = readConfig(storage.env)
  if (!address) throw new Error('There is no PostgreSQL.')
  const timeouts = { ...POSTGRES_TIMEOUTS, ...PATIENT }
  const sharedTimeouts = { ...timeouts, ...given }
  const pool = new PostgresPool(() => connectToPrimary(address, timeouts, () => {}), {
    limit: 10,
    patienceMs: timeouts.connectionMs,
  })
  const alone = async (text: string, values: readonly unknown[], organizationId = 'a') => {
    const { rows } = await pool.use((connection) => connection.query(text, values), organizationId)
    return rows
  }
  let left = 0
  const opened: Ways = {
    isCurrent: true,
    left: () => left,
    alone,
    together: (text: string, values: readonly unknown[], organizationId = 'a') =>
      opened.shared.read({ text, values, organizationId }),
    close() {
      opened.shared.close()
      pool.close()
    },
    shared: new SharedReads({
      open: () => connectToPrimary(address, sharedTimeouts, () => {}),
      isCurrent: () => opened.isCurrent,
      readAlone({ text, values, organizationId }) {
        left++
        return alone(text, values, organizationId)
      },
      answerMs: sharedTimeouts.answerMs,
    }),
  }
  await expect.poll(() => isShared(opened)).toBe(true)
  return opened
}

async function isShared({ together, left }: Ways): Promise<boolean> {
  const before = left()
  await together(ECHO, ['ready'])
  return left() === before
}

/** What a caller gets. */
const outcomeOf = (read: Promise<Rows>) =>
  read.then(
    (rows) => ({ rows: [...rows] }),
    (error) => ({ code: error.cause?.code ?? error.code, message: error.cause?.message ?? error.message }),
  )

const texts = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`)
const echoed = (all: string[]) => all.map((text) => ({ rows: [{ text }] }))
const echoes = (all: string[]) => all.map((text) => outcomeOf(ways.together(ECHO, [text])))

/** Keeps `WAIT` waiting until it is let go. */
async function hold(): Promise<() => Promise<void>> {
  const [letGo, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = onTheSide((sql) =>
    sql.begin(async (tx) => {
      await tx.unsafe(`select pg_advisory_xact_lock(${LOCK})`)
      held.resolve()
      await letGo.promise
    }),
  )
  await held.promise
  return async () => {
    letGo.resolve()
    await done
  }
}

/** The process of the server in which somebody waits for the lock. */
async function waitingProcess(): Promise<number> {
  const waiting = () =>
    onTheSide((sql) => sql<{ pid: number }[]>`select pid from pg_locks where locktype = 'advisory' and not granted`)
  await expect.poll(async () => (await waiting()).length).toBe(1)
  return (await waiting())[0]?.pid ?? 0
}

it('gives everybody the rows or the error that they get alone, whatever is sent before and after', async () => {
  const reads: [string, unknown[]][] = [
    ['select * from "item" where "id" = $1', [1]],
    ['select * from "item" where "hash" = $1', [Buffer.from([0, 255])]],
    ['select * from "item" where "name" = $1 or "id" = $2', ['one\u0000', 2]],
    ['select 1 / $1::int as "no"', [0]],
    ['select * from "item" order by "id" limit $1', [-1]],
    ['select "nothing" from "item" where "id" = $1', [1]],
    ['select * frm "item" where "id" = $1', [1]],
    ['select * from "item" where "id" = $1', ['no number']],
    ['select * from "item" where "id" = $1', [undefined]],
    ['select * from "item" where "hash" = $1', [5]],
    ['select * from "item" where "name" = $1', [null]],
    ['select $1::text as "text", $2::bigint as "number"', ['ä"\\ \ud800', 2 ** 53 - 1]],
  ]
  const expected = []
  for (const [text, values] of reads) expected.push(await outcomeOf(ways.alone(text, values)))
  for (let times = 0; times < 3; times++) {
    // Twice at once: with each before, between and behind the others.
    const asked = [...reads, ...reads.toReversed()].map(([text, values]) => outcomeOf(ways.together(text, values)))
    expect(await Promise.all(asked)).toEqual([...expected, ...expected.toReversed()])
  }
  expect(await isShared(ways)).toBe(true) // none of this has cost the connection
})

it('a slow read makes nobody else wait, and has its own answer', async () => {
  const letGo = await hold()
  const slow = outcomeOf(ways.together(WAIT, ['slow']))
  await waitingProcess()
  const all = texts(20)
  expect(await Promise.all(echoes(all))).toEqual(echoed(all))
  expect(await Promise.all(echoes(all))).toEqual(echoed(all))
  await letGo()
  expect(await slow).toEqual({ rows: [{ waited: '', text: 'slow' }] })
  await expect.poll(() => isShared(ways)).toBe(true)
})

it.each([
  ['cancelled', {}, async () => onTheSide(cancel(await waitingProcess()))],
  ['out of time', { statementMs: 1000 }, async () => {}],
])('a read that is %s is the only one with an error', async (_how, timeouts, end) => {
  ways.close()
  ways = await openWays(timeouts)
  const letGo = await hold()
  const all = texts(15)
  const before = echoes(all)
  const slow = outcomeOf(ways.together(WAIT, ['slow']))
  const behind = echoes(all)
  await end()
  expect(await slow).toMatchObject({ code: '57014' })
  expect(await Promise.all([...before, ...behind])).toEqual(echoed([...all, ...all]))
  await letGo()
})

const cancel = (pid: number) => (sql: Sql) => sql`select pg_cancel_backend(${pid})`

it('when the connection is lost, everybody is answered by another', async () => {
  const letGo = await hold()
  const all = texts(20)
  const slow = outcomeOf(ways.together(WAIT, ['slow']))
  const behind = echoes(all)
  const pid = await waitingProcess()
  await onTheSide((sql) => sql`select pg_terminate_backend(${pid}, 2000)`)
  expect(await Promise.all(behind)).toEqual(echoed(all))
  await letGo()
  expect(await slow).toEqual({ rows: [{ waited: '', text: 'slow' }] })
  await expect.poll(() => isShared(ways)).toBe(true)
})

it('without any answer in time, only the read that waits for it is refused', async () => {
  ways.close()
  ways = await openWays({ answerMs: 1000 })
  const letGo = await hold()
  const all = texts(20)
  const slow = outcomeOf(ways.together(WAIT, ['slow']))
  const behind = echoes(all)
  expect(await Promise.all(behind)).toEqual(echoed(all))
  expect(await slow).toMatchObject({ code: 'ETIMEDOUT' })
  await letGo()
  await expect.poll(() => isShared(ways)).toBe(true)
})

it('a statement that has to be prepared again is, for everybody who sent it', async () => {
  await onTheSide((sql) => sql.unsafe('create table "wider" ("a" bigint); insert into "wider" values (1)'))
  const wider = () => outcomeOf(ways.together('select * from "wider" where "a" = $1', [1]))
  expect(await wider()).toEqual({ rows: [{ a: 1 }] })
  await onTheSide((sql) => sql.unsafe('alter table "wider" add column "b" text'))
  const [all, each] = [texts(10), Array.from({ length: 10 }, wider)]
  expect(await Promise.all([...echoes(all), ...each])).toEqual([
    ...echoed(all),
    ...each.map(() => ({ rows: [{ a: 1, b: null }] })),
  ])
})

it('C16: an organization has half of the room, and others the rest; whoever finds none reads alone', async () => {
  const letGo = await hold()
  const before = ways.left()
  const read = (organizationId: string) => ways.together(WAIT, ['x'], organizationId)
  const many = Array.from({ length: 40 }, () => read('a'))
  expect(ways.left() - before).toBe(8)
  const others = [read('b'), read('c')]
  expect(ways.left() - before).toBe(8)
  await letGo()
  expect(await Promise.all([...many, ...others])).toHaveLength(42)
})

it('nothing more is sent to a server that has been replaced', async () => {
  ways.isCurrent = false
  expect(await isShared(ways)).toBe(false)
  ways.isCurrent = true
  await expect.poll(() => isShared(ways)).toBe(true)
})

it('is closed once everybody is answered', async () => {
  const letGo = await hold()
  const slow = outcomeOf(ways.together(WAIT, ['slow']))
  const pid = await waitingProcess()
  ways.shared.close()
  expect(await isShared(ways)).toBe(false)
  await letGo()
  expect(await slow).toEqual({ rows: [{ waited: '', text: 'slow' }] })
  const processes = () => onTheSide((sql) => sql`select 1 from pg_stat_activity where pid = ${pid}`)
  await expect.poll(async () => (await processes()).length).toBe(0)
})
