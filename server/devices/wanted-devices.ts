import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../caller/ctx.ts'
import { isPostgres } from '../db/locks.ts'
import { beginsWith } from '../db/prefix.ts'
import type { Db, Tables } from '../db/tables.ts'
import { checkAnyText, checkSearch } from '../lib/check.ts'
import { checkWantedTags } from './device-input.ts'
import { type DeviceStatus, hasStatus } from './device-status.ts'

type Given<Value> = Value | null | undefined

export interface DeviceFilter {
  status?: Given<DeviceStatus>
  /** A device must have all of them. */
  tags?: Given<readonly string[]>
  enabled?: Given<boolean>
  ids?: Given<readonly string[]>
  names?: Given<readonly string[]>
  /** A part of the name, in any case. Blanks at its ends belong to it. */
  nameContains?: Given<string>
  updatedSince?: Given<number>
}

export interface Wanted {
  begin: string
  contains: string
  status: DeviceStatus | undefined
  tags: string[]
  enabled: boolean | undefined
  ids: readonly string[] | undefined
  names: readonly string[] | undefined
  updatedSince: number | undefined
}

export const NO_CONDITIONS: Wanted = {
  begin: '',
  contains: '',
  status: undefined,
  tags: [],
  enabled: undefined,
  ids: undefined,
  names: undefined,
  updatedSince: undefined,
}

export function checkWanted(search: Given<string>, filter: Given<DeviceFilter>): Wanted {
  return {
    begin: checkSearch('search', search),
    contains: checkSearch('filter.nameContains', filter?.nameContains, { blanks: true }),
    status: filter?.status ?? undefined,
    tags: checkWantedTags('filter.tags', filter?.tags),
    enabled: filter?.enabled ?? undefined,
    ids: filter?.ids ?? undefined,
    names: filter?.names?.map((name) => checkAnyText('filter.names', name)),
    updatedSince: filter?.updatedSince ?? undefined,
  }
}

/** Conditions that an index may serve. The others are looked at for each row: otherwise their indexes decide the order. */
type Condition = 'begin' | 'enabled' | 'status' | 'updatedSince'

export const EVERY_CONDITION: readonly Condition[] = ['begin', 'enabled', 'status', 'updatedSince']

export type DeviceQuery = SelectQueryBuilder<Tables, 'device' | 'deviceTag', object>

export interface How {
  /** The columns of the name and the id: of the devices, or of the rows of a tag. */
  key: readonly [NameColumn, IdColumn]
  byIndex: readonly Condition[]
  /** The tags that remain to be checked for each row. */
  tags: readonly string[]
}

export const DEVICE_KEY = ['device.nameKey', 'device.id'] as const
/** The names and ids of devices in the rows of a tag. */
export const DEVICE_TAG_KEY = ['deviceTag.nameKey', 'deviceTag.deviceId'] as const

export type NameColumn = 'device.nameKey' | 'deviceTag.nameKey'
export type IdColumn = 'device.id' | 'deviceTag.deviceId'

export function whereWanted(ctx: Ctx, query: DeviceQuery, wanted: Wanted, { key, byIndex, tags }: How): DeviceQuery {
  const { begin, contains, status, enabled, updatedSince } = wanted
  const [nameKey, id] = key
  const isServed = (condition: Condition) => byIndex.includes(condition)
  let found = query
  if (begin !== '')
    found = found.where((eb) => beginsWith(eb, isServed('begin') ? nameKey : noIndex.text(nameKey), begin))
  if (contains !== '') found = found.where(nameContains(ctx.reads, nameKey, contains))
  if (contains !== '' && begin === '' && isServed('begin')) found = found.where(nameKey, '>=', '') // by the index of names
  if (status !== undefined) found = found.where(hasStatus(status, ctx.now(), isServed('status') ? 'index' : 'looking'))
  if (enabled !== undefined)
    found = found.where(isServed('enabled') ? 'device.enabled' : noIndex.number('device.enabled'), '=', enabled ? 1 : 0)
  if (updatedSince !== undefined) {
    const updatedAt = isServed('updatedSince') ? 'device.updatedAt' : noIndex.number('device.updatedAt')
    found = found.where(updatedAt, '>=', updatedSince)
  }
  for (const tag of tags) found = found.where(hasTag(ctx, tag, nameKey, id))
  return found
}

/** The value of a column, by which no index is chosen. */
const noIndex = {
  number: (column: string) => sql<number>`+${sql.ref(column)}`,
  text: (column: string) => sql<string>`${sql.ref(column)} || ''`,
}

/** Compared byte by byte. The index by name holds all that is needed: of other rows nothing else is read. */
export const nameContains = (db: Db, nameKey: NameColumn, text: string): Expression<SqlBool> =>
  sql<SqlBool>`${sql.raw(isPostgres(db) ? 'strpos' : 'instr')}(${sql.ref(nameKey)}, ${text}) > 0`

/** By its whole key, and as a scalar: PostgreSQL would turn `exists` into a join of all devices with the tag. */
function hasTag({ caller }: Ctx, tag: string, nameKey: NameColumn, id: IdColumn): Expression<SqlBool> {
  const { selectFrom, eb } = expressionBuilder<Tables, 'device' | 'deviceTag'>()
  const found = selectFrom('deviceTag as also')
    .select('also.tag')
    .where('also.organizationId', '=', caller.organizationId)
    .where('also.tag', '=', tag)
    .whereRef('also.nameKey', '=', nameKey)
    .whereRef('also.deviceId', '=', id)
  return eb(found, 'is not', null)
}
