import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CompiledQuery, Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { TransactionCtx } from '../caller/ctx.ts'
import { migrate } from '../db/migrate.ts'
import { openSqlite } from '../db/sqlite/database.ts'
import { sqliteDialect } from '../db/sqlite/dialect.ts'
import { SqliteConnection } from '../db/sqlite/driver.ts'
import type { Tables } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { encodeCursor } from '../lib/page.ts'
import { insertOrganization } from '../organizations/organization.ts'
import { createDevices } from './create-devices.ts'
import type { DeviceOrderField } from './device-order.ts'
import { deleteRows, idsByName, lockDevices, replaceTags, updateRows } from './device-rows.ts'
import { type DeviceListArgs, listDevices } from './list-devices.ts'
import type { Device } from './stored-device.ts'

const NOW = Date.UTC(2026, 10, 15)
const MANY = 1_001 // more than are sorted

/** A database with so many devices that none of the conditions is met by few, and the plans of what is asked of it. */
const it = test
  .extend('folder', { scope: 'file' }, () => mkdtempSync(join(tmpdir(), 'portal-')))
  .extend('plansOf', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const database = openSqlite(folder)
    await migrate(database)
    const { id: organizationId } = await database.transaction((db) =>
      insertOrganization(db, NOW, { kind: 'ORGANIZATION', name: 'Acme' }),
    )
    const file = new DatabaseSync(join(folder, 'portal.db'), { readOnly: true })
    let asked: CompiledQuery[] = []
    const db = new Kysely<Tables>({
      dialect: sqliteDialect(new SqliteConnection(file, { retryUntil: () => 0 }).executeQuery),
      log: ({ query }) => {
        asked.push(query)
      },
    })
    Object.defineProperty(db, 'isTransaction', { value: true }) // inside one, nothing is counted to choose where to read
    const ctx: TransactionCtx = {
      caller: { kind: 'SYSTEM', organizationId, role: 'ADMIN' },
      reads: db,
      db: db as Transaction, // only asked how it finds rows
      database,
      now: () => NOW,
    }
    const inputs = Array.from({ length: MANY }, (_, i) => ({ name: `edge-${i}`, tags: ['lte'] }))
    await createDevices(ctx, inputs, true)
    onCleanup(async () => {
      file.close()
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    })
    return async (work: DeviceListArgs | ((ctx: TransactionCtx) => Promise<unknown>)): Promise<string[][]> => {
      asked = []
      if (typeof work === 'function')
        await work(ctx).catch(() => {}) // nothing is written here, only planned
      else await listDevices(ctx, { first: 10, ...work })
      return asked.map(({ sql, parameters }) =>
        file
          .prepare(`explain query plan ${sql}`)
          .all(...parameters.map((value) => (typeof value === 'number' ? value : String(value))))
          .map(({ detail }) => String(detail)),
      )
    }
  })

const INDEXES: Record<DeviceOrderField, string> = {
  NAME: 'deviceByName',
  CREATED_AT: 'deviceByCreation',
  UPDATED_AT: 'deviceByUpdate',
  LAST_SEEN_AT: 'deviceByLastSeen',
}
const FIELDS = Object.keys(INDEXES) as DeviceOrderField[] // the type of Object.keys does not say which
const ORDERS = FIELDS.flatMap((field) => (['ASC', 'DESC'] as const).map((direction) => ({ field, direction })))

describe.each(ORDERS)('by $field $direction', (orderBy) => {
  const index = INDEXES[orderBy.field]
  const values = { NAME: ['edge-1'], CREATED_AT: [NOW], UPDATED_AT: [NOW], LAST_SEEN_AT: [NOW, 'edge-1'] }
  const label = `${orderBy.field} ${orderBy.direction}`
  const isDefault = label === 'NAME ASC'
  const after = encodeCursor([...(isDefault ? [] : [label]), ...values[orderBy.field], 'x'])

  it('a page is read in the order of an index, from the cursor on, and nothing is sorted', async ({ plansOf }) => {
    for (const plan of [...(await plansOf({ orderBy })), ...(await plansOf({ orderBy, after }))]) {
      expect(plan).toEqual([expect.stringMatching(/^SEARCH device USING INDEX \w+ \(organizationId=\?/)])
    }
    const [next] = await plansOf({ orderBy, after })
    expect(next?.[0]).toMatch(new RegExp(`USING INDEX ${index} \\(organizationId=\\? AND .*\\([\\w,]+\\)[<>]\\(`))
  })

  it.for<[string, DeviceListArgs]>([
    ['a part of the name', { filter: { nameContains: 'dge' } }],
    ['a beginning', { search: 'edge' }],
    ['a tag', { filter: { tags: ['lte'] } }],
    ['enabled devices', { filter: { enabled: true } }],
    ['changed since a time', { filter: { updatedSince: 1 } }],
    ['never seen', { filter: { status: 'NEVER_SEEN' } }],
  ])('many devices by %s are found in the same order, and nothing is sorted', async ([, args], { plansOf }) => {
    const pages = (await plansOf({ ...args, orderBy })).filter((plan) => !plan.join().includes('SCAN device'))
    const sortsAside = args.filter?.nameContains !== undefined // a page of ids, whose devices are then read
    for (const plan of pages) {
      expect(plan.filter((step) => /^SCAN (?!page|json_each)/.test(step))).toEqual([])
      if (!sortsAside) expect(plan.join()).not.toContain('TEMP B-TREE')
    }
  })
})

it('a part of a name is looked for in the index by name, without reading a device that does not match', async ({
  plansOf,
}) => {
  const byName = 'SEARCH device USING COVERING INDEX deviceByName (organizationId=? AND nameKey>?)'
  const [plan] = await plansOf({ filter: { nameContains: 'dge' } })
  expect(plan).toContainEqual(byName)
  const [howMany] = await plansOf({ filter: { nameContains: 'dge' }, orderBy: { field: 'CREATED_AT' } })
  expect(howMany).toContainEqual(byName)
  const [, few] = await plansOf({ filter: { nameContains: '-77' }, orderBy: { field: 'CREATED_AT' } })
  expect(few).toContainEqual('SEARCH device USING INDEX sqlite_autoindex_device_1 (id=?)')
})

it('devices by ids are found by their ids', async ({ plansOf }) => {
  const [plan] = await plansOf({ filter: { ids: ['x'] }, orderBy: { field: 'CREATED_AT' } })
  expect(plan).toContainEqual('SEARCH device USING INDEX sqlite_autoindex_device_1 (id=?)')
})

describe('rows of many devices are found by index, however many devices the organization has', () => {
  const device = { id: 'x', name: 'x', nameKey: 'x' } as Device
  const BY_ID = /SEARCH device USING (COVERING )?INDEX sqlite_autoindex_device_1 \(id=\?\)/

  it.for<[string, (ctx: TransactionCtx) => Promise<unknown>, RegExp]>([
    ['to lock them', (ctx) => lockDevices(ctx, ['x', 'y'], 'change'), BY_ID],
    ['to change them', (ctx) => updateRows(ctx, [device], ['name', 'nameKey']), BY_ID],
    ['to delete them', (ctx) => deleteRows(ctx, ['x', 'y']), BY_ID],
    ['to replace their tags', (ctx) => replaceTags(ctx, [device]), /INDEX deviceTagByDevice \(deviceId=\?\)/],
    [
      'by name',
      (ctx) => idsByName(ctx, ['x', 'y']),
      /SEARCH device USING INDEX sqlite_autoindex_device_2 \(organizationId=\? AND name=\?\)/,
    ],
  ])('%s', async ([, work, step], { plansOf }) => {
    const [plan] = await plansOf(work)
    expect(plan?.join('\n')).toMatch(step)
    expect(plan?.filter((each) => /^SCAN device|\(organizationId=\?\)/.test(each))).toEqual([])
  })
})
