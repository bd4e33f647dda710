import { type Expression, type SqlBool, sql } from 'kysely'
import type { Caller, Ctx, TransactionCtx } from '../caller/ctx.ts'
import { jsonRows, longRows, ROWS_OF_A_STATEMENT } from '../db/json-rows.ts'
import { forNoKeyUpdate, forUpdate, isPostgres } from '../db/locks.ts'
import type { Db, DeviceTable } from '../db/tables.ts'
import { partsOf } from '../lib/parts.ts'
import { DEVICE_COLUMNS, type Device, tagsOf } from './stored-device.ts'

/* Rows are inserted in the order of names and locked in that of ids: two calls with the same devices wait, and do not deadlock. */

const COLUMNS = {
  id: 'text',
  organizationId: 'text',
  name: 'text',
  nameKey: 'text',
  description: 'text',
  enabled: 'integer',
  lastSeenAt: 'integer',
  firmwareVersion: 'text',
  tags: 'text',
  location: 'text',
  createdAt: 'integer',
  updatedAt: 'integer',
  checkIns: 'integer',
  firstCheckInAt: 'integer',
} as const satisfies Record<keyof DeviceTable, 'text' | 'integer'>

const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof DeviceTable)[] // the type of Object.keys does not say which

/** Inserts those whose names are free, and returns their ids. */
export async function insertDevices({ db, caller }: TransactionCtx, devices: readonly Device[]): Promise<Set<string>> {
  const { organizationId } = caller
  const rows = devices.map((device) => ({ ...device, organizationId })).sort((a, b) => (a.name < b.name ? -1 : 1))
  const inserted = new Set<string>()
  for (const part of partsOf(rows, ROWS_OF_A_STATEMENT)) {
    const given = db
      .selectFrom(longRows<DeviceTable, 'given'>(db, COLUMNS, part, 'given'))
      .select(COLUMN_NAMES)
      .where('id', 'is not', null) // without a condition here, SQLite takes `on` for part of a join
    const found = await db
      .insertInto('device')
      .columns(COLUMN_NAMES)
      .expression(given)
      .onConflict((conflict) => conflict.columns(['organizationId', 'name']).doNothing())
      .returning('id')
      .execute()
    for (const { id } of found) inserted.add(id)
  }
  return inserted
}

/** Writes these columns of devices whose rows are locked. */
export async function updateRows(
  { db, caller }: TransactionCtx,
  devices: readonly Device[],
  columns: readonly (keyof Device)[],
): Promise<void> {
  const names = ['id', ...columns] as const
  const types = pick(COLUMNS, names)
  for (const part of partsOf(devices, ROWS_OF_A_STATEMENT)) {
    const rows = part.map((device) => pick(device, names))
    await db
      .updateTable('device')
      .from(longRows<Pick<Device, keyof Device>, 'given'>(db, types, rows, 'given'))
      .set(({ ref }) => Object.fromEntries(columns.map((name) => [name, ref(`given.${name}`)])))
      .whereRef('device.id', '=', 'given.id')
      .where(inOrganization(db, caller))
      .execute()
  }
}

const pick = <Whole extends object>(whole: Whole, names: readonly (keyof Whole)[]): Whole =>
  Object.fromEntries(names.map((name) => [name, whole[name]])) as Whole // the columns that are used

/** Deletes devices; their tags are deleted with them. */
export async function deleteRows(ctx: TransactionCtx, ids: readonly string[]): Promise<void> {
  for (const part of partsOf(ids, ROWS_OF_A_STATEMENT))
    await ctx.db.deleteFrom('device').where(areThese(ctx, part)).execute()
}

/** Locks these devices, as far as the organization has them, until the transaction ends: to change or to delete them. */
export async function lockDevices(
  ctx: TransactionCtx,
  ids: readonly string[],
  to: 'change' | 'delete',
): Promise<Map<string, Device>> {
  const lock = to === 'change' ? forNoKeyUpdate : forUpdate
  const found = new Map<string, Device>()
  for (const part of partsOf(ids.toSorted(), ROWS_OF_A_STATEMENT)) {
    const rows = ctx.db.selectFrom('device').select(DEVICE_COLUMNS).where(areThese(ctx, part)).orderBy('id')
    for (const device of await lock(ctx.db, rows).execute()) found.set(device.id, device)
  }
  return found
}

export async function idsByName({ reads, caller }: Ctx, names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const part of partsOf(names, ROWS_OF_A_STATEMENT)) {
    const rows = await reads
      .selectFrom('device')
      .select(['id', 'name'])
      .where('organizationId', '=', caller.organizationId)
      .where('name', 'in', listed(reads, part))
      .execute()
    for (const { id, name } of rows) found.set(name, id)
  }
  return found
}

/** So many that a statement for their tags takes a few milliseconds. */
const TAGGED_OF_A_STATEMENT = 20

/** The rows that the list filters by, of devices that are stored; they are deleted with the device. */
export async function insertTags(ctx: TransactionCtx, devices: readonly Device[]): Promise<void> {
  const { db } = ctx
  const tagged = devices.filter(({ tags }) => tags !== NO_TAGS).map(({ id }) => id)
  const each = isPostgres(db) ? sql`json_array_elements_text("device"."tags"::json)` : sql`json_each("device"."tags")`
  ctx.noteStored?.({ bytes: bytesOfTags(devices), events: 0, eventBytes: 0 })
  for (const part of partsOf(tagged, TAGGED_OF_A_STATEMENT)) {
    await db
      .insertInto('deviceTag')
      .columns(['organizationId', 'tag', 'nameKey', 'deviceId'])
      .expression(
        sql`select "device"."organizationId", "tag"."value", "device"."nameKey", "device"."id"
          from "device", ${each} as "tag" where ${areThese(ctx, part)}`,
      )
      .execute()
  }
}

const NO_TAGS = '[]'

/** The row of a tag without its texts, with half of its indexes. */
const TAG_ROW_BYTES = 50

const bytesOfTags = (devices: readonly Device[]) =>
  devices.reduce((sum, device) => {
    const ofEach = TAG_ROW_BYTES + Buffer.byteLength(device.nameKey)
    return device.tags === NO_TAGS ? sum : sum + Buffer.byteLength(device.tags) + tagsOf(device).length * ofEach
  }, 0)

export async function replaceTags(ctx: TransactionCtx, devices: readonly Device[]): Promise<void> {
  const { db } = ctx
  const ids = devices.map(({ id }) => id)
  for (const part of partsOf(ids, ROWS_OF_A_STATEMENT))
    await db.deleteFrom('deviceTag').where('deviceId', 'in', listed(db, part)).execute()
  await insertTags(ctx, devices)
}

export const areThese = (
  { reads, caller }: Pick<Ctx, 'reads' | 'caller'>,
  ids: readonly string[],
): Expression<SqlBool> =>
  isPostgres(reads)
    ? sql<SqlBool>`"device"."id" = any(string_to_array(${ids.join()}::text, ',')) and ${inOrganization(reads, caller)}`
    : sql<SqlBool>`"device"."id" in (${listed(reads, ids)}) and ${inOrganization(reads, caller)}`

/** For devices found by their ids: on SQLite not by an index, or it would read all devices of the organization. */
const inOrganization = (db: Db, { organizationId }: Caller): Expression<SqlBool> =>
  isPostgres(db)
    ? sql<SqlBool>`"device"."organizationId" = ${organizationId}`
    : sql<SqlBool>`"device"."organizationId" || '' = ${organizationId}`

/** These texts as a query, for `in`. */
function listed(db: Db, values: readonly string[]) {
  const rows = values.map((value) => ({ value }))
  return db
    .selectFrom(jsonRows<{ value: string }, 'listed'>(db, { value: 'text' }, rows, 'listed'))
    .select('listed.value')
}
