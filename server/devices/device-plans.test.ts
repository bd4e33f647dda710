import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CompiledQuery, Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Ctx } from '../caller/ctx.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { openSqlite } from '../db/sqlite/database.ts'
import { sqliteDialect } from '../db/sqlite/dialect.ts'
import { SqliteConnection } from '../db/sqlite/driver.ts'
import type { DeviceTable, Tables } from '../db/tables.ts'
import { insertOrganization } from '../organizations/organization.ts'
import { createDevice } from './device.ts'
import { type DeviceListArgs, listDevices } from './list-devices.ts'
import { findDevice } from './stored-device.ts'
import { firstTags } from './tags-in-use.ts'

const NOW = Date.UTC(2026, 10, 15)
const SORTED_ASIDE = /TEMP B-TREE/
const EVERY_ROW = /^SCAN/

let folder: string
let database: Database
let file: DatabaseSync
let ctx: Ctx
let deviceId: string
let asked: CompiledQuery[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portal-'))
  database = openSqlite(folder)
  await migrate(database)
  const { id: organizationId } = await database.transaction((db) =>
    insertOrganization(db, NOW, { kind: 'ORGANIZATION', name: 'Acme' }),
  )
  file = new DatabaseSync(join(folder, 'portal.db'), { readOnly: true })
  const db = new Kysely<Tables>({
    dialect: sqliteDialect(new SqliteConnection(file, { retryUntil: () => 0 }).executeQuery), // so that every query passes Kysely, which tells of it
    log: ({ query }) => {
      asked.push(query)
    },
  })
  Object.defineProperty(db, 'isTransaction', { value: true }) // inside one, nothing is counted to choose where to read
  ctx = { caller: { kind: 'SYSTEM', organizationId, role: 'ADMIN' }, reads: db, database, now: () => NOW }
  const device = await createDevice(ctx, { name: 'edge-1', tags: ['lte', 'indoor'] })
  deviceId = device.id
})

beforeEach(() => {
  asked = []
})

afterAll(async () => {
  file.close()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

/** How SQLite goes about what the list asks of it, a line each. */
async function planOf(args: DeviceListArgs): Promise<string[]> {
  await listDevices(ctx, args)
  return planOfOnly()
}

function planOfOnly(): string[] {
  const [query, another] = asked
  if (!query || another) throw new Error(`One query expected, not ${asked.length}.`)
  return planOfQuery(query)
}

function planOfQuery(query: CompiledQuery): string[] {
  const values = query.parameters.map((value) => (typeof value === 'number' ? value : String(value)))
  const steps = file.prepare(`explain query plan ${query.sql}`).all(...values)
  return steps.map((step) => String(step['detail']))
}

const after = Buffer.from(JSON.stringify(['edge-0', 'x'])).toString('base64url')

describe('the list reads an index in order and sorts nothing', () => {
  it.each<[string, DeviceListArgs, string]>([
    ['the first page', {}, 'SEARCH device USING INDEX deviceByName (organizationId=?)'],
    ['the next page', { after }, 'SEARCH device USING INDEX deviceByName (organizationId=? AND (nameKey,id)>(?,?))'],
    [
      'a search',
      { search: 'edge' },
      'SEARCH device USING INDEX deviceByName (organizationId=? AND nameKey>? AND nameKey<?)',
    ],
    [
      'the next page of a search, from the cursor on',
      { search: 'edge', after },
      'SEARCH device USING INDEX deviceByName (organizationId=? AND (nameKey,id)>(?,?) AND nameKey<?)',
    ],
    [
      'devices that were never seen',
      { filter: { status: 'NEVER_SEEN' } },
      'SEARCH device USING INDEX deviceByLastSeen (organizationId=? AND lastSeenAt=?)',
    ],
    [
      'disabled devices',
      { filter: { enabled: false } },
      'SEARCH device USING INDEX deviceByEnabled (organizationId=? AND enabled=?)',
    ],
  ])('%s', async (_name, args, step) => {
    expect(await planOf(args)).toEqual([step])
  })

  it.each<[string, DeviceListArgs, string]>([
    ['a tag', { filter: { tags: ['lte'] } }, '(organizationId=? AND tag=?)'],
    [
      'a tag, the next page',
      { after, filter: { tags: ['lte'] } },
      '(organizationId=? AND tag=? AND (nameKey,deviceId)>(?,?))',
    ],
    [
      'a tag and a search',
      { search: 'e', filter: { tags: ['lte'] } },
      '(organizationId=? AND tag=? AND nameKey>? AND nameKey<?)',
    ],
    ['a tag of enabled devices', { filter: { tags: ['lte'], enabled: true } }, '(organizationId=? AND tag=?)'],
  ])('%s', async (_name, args, range) => {
    expect(await planOf(args)).toEqual([
      `SEARCH deviceTag USING COVERING INDEX sqlite_autoindex_deviceTag_1 ${range}`,
      'SEARCH device USING INDEX sqlite_autoindex_device_1 (id=?)',
    ])
  })

  it('two tags', async () => {
    const plan = await planOf({ filter: { tags: ['lte', 'indoor'] } })
    expect(plan.join('\n')).toMatch(/SEARCH also .*\(organizationId=\? AND tag=\? AND nameKey=\? AND deviceId=\?\)/)
    expect(plan.filter((step) => SORTED_ASIDE.test(step) || EVERY_ROW.test(step))).toEqual([])
  })
})

it.each([{}, { after }])('names alone are read from the same index: %j', async (args) => {
  await listDevices(ctx, args, { items: ['id', 'name'], pageInfo: false })
  expect(asked[0]?.sql).toMatch(/^select "device"\."id", "device"\."name" from "device" where/)
  expect(asked[0]?.sql).toMatch(/ order by "nameKey", "id" limit \(\? \+ 0\)$/)
  expect(planOfOnly()).toEqual([expect.stringMatching(/^SEARCH device USING INDEX deviceByName/)])
})

describe.each(['ONLINE', 'OFFLINE'] as const)('devices that are %s', (status) => {
  const lastSeenAt = status === 'ONLINE' ? NOW : 1
  const RANGE = /^SEARCH device USING INDEX deviceByLastSeen \(organizationId=\? AND lastSeenAt[<>]\?\)$/

  afterAll(() => database.transaction((db) => db.deleteFrom('device').where('name', 'like', 'many-%').execute()))

  /** The plans of both queries: how many there are, and the page. */
  async function plansOf(args: DeviceListArgs): Promise<[string[], string[]]> {
    asked = []
    await listDevices(ctx, args)
    const [first, second, another] = asked
    if (!first || !second || another) throw new Error(`Two queries expected, not ${asked.length}.`)
    return [planOfQuery(first), planOfQuery(second)]
  }

  it('are read by last seen time and sorted, when they are few', async () => {
    const [howMany, page] = await plansOf({ filter: { status } })
    expect(howMany).toContainEqual(expect.stringMatching(/deviceByLastSeen/))
    expect(page).toContainEqual(expect.stringMatching(RANGE))
    expect(page.filter((step) => EVERY_ROW.test(step))).toEqual(['SCAN device']) // the few
  })

  it('are filtered while the list is read, when they are many', async () => {
    const many = Array.from({ length: 1001 }, (_, i) => deviceRow(`many-${status}-${i}`, lastSeenAt))
    await database.transaction(async (db) => {
      for (const row of many) await db.insertInto('device').values(row).execute()
    })
    const [, page] = await plansOf({ filter: { status } })
    expect(page).toEqual(['SEARCH device USING INDEX deviceByName (organizationId=?)'])
    const [, next] = await plansOf({ after, filter: { status } })
    expect(next).toEqual(['SEARCH device USING INDEX deviceByName (organizationId=? AND (nameKey,id)>(?,?))'])
    const [, tagged] = await plansOf({ filter: { status, tags: ['lte'] } })
    expect(tagged.filter((step) => SORTED_ASIDE.test(step) || EVERY_ROW.test(step))).toEqual([])
  })

  it('are the same either way, page by page', async () => {
    const few = await database.read.selectFrom('device').selectAll().where('lastSeenAt', '=', lastSeenAt).execute()
    const expected = few.map(({ name }) => name).sort()
    const names: string[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const { data, pageInfo } = await listDevices(ctx, { first: 100, after, filter: { status } })
      names.push(...data.map(({ name }) => name))
      after = pageInfo.hasNextPage ? pageInfo.endCursor() : null
    }
    expect(names).toEqual(expected)
    await database.transaction((db) =>
      db.deleteFrom('device').where('lastSeenAt', '=', lastSeenAt).where('name', 'like', '%00').execute(),
    )
    const rest = expected.filter((name) => !name.endsWith('00'))
    expect((await listDevices(ctx, { first: 500, filter: { status } })).data.map(({ name }) => name)).toEqual(
      rest.slice(0, 500),
    )
  })
})

function deviceRow(name: string, lastSeenAt: number): DeviceTable {
  const { organizationId = '' } = ctx.caller
  const nothing = { description: null, firmwareVersion: null, location: null, checkIns: null, firstCheckInAt: null }
  return {
    ...nothing,
    id: name,
    organizationId,
    name,
    nameKey: name,
    enabled: 1,
    lastSeenAt,
    tags: '[]',
    createdAt: 0,
    updatedAt: 0,
  }
}

it('tags in use are found one after the other by index', async () => {
  await firstTags('x', 'x').execute(ctx.reads)
  const steps = planOfOnly()
  expect(steps.filter((step) => step.includes('deviceTag'))).toEqual([
    'SEARCH deviceTag USING COVERING INDEX sqlite_autoindex_deviceTag_1 (organizationId=? AND tag>? AND tag<?)',
    'SEARCH next USING COVERING INDEX sqlite_autoindex_deviceTag_1 (organizationId=? AND tag>? AND tag<?)',
    'SEARCH tagged USING COVERING INDEX sqlite_autoindex_deviceTag_1 (organizationId=? AND tag=?)',
  ])
})

it('a device is found by its id', async () => {
  await findDevice(ctx, deviceId)
  expect(planOfOnly()).toEqual(['SEARCH device USING INDEX sqlite_autoindex_device_1 (id=?)'])
})

it.each<[DeviceListArgs, RegExp]>([
  [{}, /^SEARCH device USING COVERING INDEX \w+ \(organizationId=\?\)$/],
  [{ filter: { tags: ['lte'] } }, /^SEARCH deviceTag USING COVERING INDEX \w+ \(organizationId=\? AND tag=\?\)$/],
])('the total is counted only when requested, from an index alone: %j', async (args, step) => {
  const page = await listDevices(ctx, args)
  expect(asked).toHaveLength(1)
  asked = []
  expect(await page.totalCount()).toBe(1)
  expect(planOfOnly()).toEqual([expect.stringMatching(step)])
})
