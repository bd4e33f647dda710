import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { newStorage } from '../../../test/support/world/storage.ts'
import { PATIENT } from '../../../test/support/world/waiting.ts'
import { limitRefusals } from '../../config/counts.ts'
import { LIMITS } from '../../config/limits.ts'
import { readConfig } from '../../config.ts'
import type { Database } from '../database.ts'
import { openDatabase } from '../open.ts'
import type { Db } from '../tables.ts'

async function open(connections: number): Promise<Database> {
  const storage = await newStorage()
  const url = new URL(storage.env['DATABASE_URL'] ?? '')
  url.searchParams.set('connection_limit', String(connections))
  const database = await openDatabase(readConfig({ ...storage.env, DATABASE_URL: url.href }), { timeouts: PATIENT })
  onTestFinished(async () => {
    await database.close()
    await storage.remove()
  })
  return database
}

let statements = 0
/** Each differs from all others: equal reads that wait are sent once. */
const one = (db: Db) => sql`select ${++statements}::int`.execute(db)

const WAYS = {
  read: (database: Database, organizationId: string) => one(database.readFor(organizationId)),
  'heavy read': (database: Database, organizationId: string) => one(database.heavyRead({ organizationId })),
  transaction: (database: Database, organizationId: string) => database.transaction(one, { organizationId }),
  'read of nobody': (database: Database) => one(database.read),
}

/** Takes connections for an organization, and keeps them until told. */
async function takeConnections(database: Database, organizationId: string, howMany: number) {
  const letGo = Promise.withResolvers<void>()
  const held = Array.from({ length: howMany }, () => {
    const begun = Promise.withResolvers<void>()
    const ended = database.transaction(
      async (db) => {
        await one(db)
        begun.resolve()
        await letGo.promise
      },
      { organizationId },
    )
    return { begun: begun.promise, ended }
  })
  await Promise.all(held.map(({ begun }) => begun))
  return async () => {
    letGo.resolve()
    await Promise.all(held.map(({ ended }) => ended))
  }
}

it.each(Object.entries(WAYS))('C16: a %s is next, however many of another organization wait', async (_way, ask) => {
  const database = await open(1)
  const letGo = await takeConnections(database, 'a', 1)
  const served: string[] = []
  const many = Array.from({ length: 500 }, () => one(database.readFor('a')).then(() => served.push('a')))
  const other = ask(database, 'b').then(() => served.push('b'))
  await letGo()
  await Promise.all([...many, other])
  expect(served.indexOf('b')).toBeLessThanOrEqual(1)
  expect(served).toHaveLength(501)
})

it.each(Object.entries(WAYS))(
  'C16: a %s finds a connection while all of another organization are slow',
  async (_way, ask) => {
    const database = await open(4)
    const letGo = await takeConnections(database, 'a', 3)
    let waits = true
    const fourth = one(database.readFor('a')).then(() => {
      waits = false
    })
    await ask(database, 'b')
    await ask(database, 'b')
    expect(waits).toBe(true)
    await letGo()
    await fourth
  },
)

it('C16: an organization that fills the queue is refused, and no other', async () => {
  const database = await open(1)
  const letGo = await takeConnections(database, 'a', 1)
  const refusals = () => limitRefusals.entries.get('connection_waits_of_organization') ?? 0
  const before = refusals()
  const many = Array.from({ length: LIMITS.connection_waits_of_organization }, () => one(database.readFor('a')))
  for (const way of [WAYS.read, WAYS.transaction]) {
    await expect(way(database, 'a')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Send fewer at once'),
      details: { retryAfterSeconds: 1 },
    })
  }
  expect(refusals() - before).toBe(2)
  const others = Object.values(WAYS).map((way) => way(database, 'b'))
  await letGo()
  await Promise.all([...many, ...others])
})

it('a single organization uses one connection after the other, and returns all of them', async () => {
  const database = await open(3)
  await Promise.all(Array.from({ length: 200 }, () => one(database.readFor('a'))))
  await Promise.all(Array.from({ length: 200 }, () => database.transaction(one, { organizationId: 'a' })))
  await expect(sql`select 1 / 0`.execute(database.readFor('a'))).rejects.toThrow(/division/)
  const letGo = await takeConnections(database, 'a', 2)
  const others = await Promise.all(['b', 'c'].map((organizationId) => one(database.readFor(organizationId))))
  expect(others).toHaveLength(2)
  await letGo()
})

it('a statement that the driver refuses makes nobody behind it wait', async () => {
  const database = await open(1)
  const refused = () => sql`select ${undefined}::text`.execute(database.read)
  const asked = [refused(), refused(), one(database.read), refused()]
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected'])
})
