import type { ExpressionBuilder } from 'kysely'
import { about, recordEvent } from '../audit/audit-event.ts'
import { changesBetween } from '../audit/changed-fields.ts'
import {
  type Ctx,
  inTransaction,
  requireAdmin,
  requirePerson,
  type UserCaller,
  withOrganizationLock,
} from '../caller/ctx.ts'
import { LIMITS, limitExceeded } from '../config/limits.ts'
import { countRows } from '../db/count.ts'
import type { DeviceViewTable } from '../db/device-view-table.ts'
import type { Tables } from '../db/tables.ts'
import { notFound } from '../lib/app-error.ts'
import { badInput, checkAll, checkAnyText, checkName, sortKey } from '../lib/check.ts'
import { newId } from '../lib/id.ts'

export type DeviceView = DeviceViewTable

export const MAX_VIEW_SEARCH = 2_000

interface DeviceViewInput {
  name: string
  search: string
  shared?: boolean | null | undefined
}

/** Saves a view for the person, or as an Admin for everyone: a Member changes nothing that others see. One of the same name there is replaced. */
export function saveDeviceView(outer: Ctx, input: DeviceViewInput): Promise<DeviceView> {
  const person = requirePerson(outer)
  const { shared } = input
  if (shared) requireAdmin(outer.caller)
  const values = checkAll({ name: () => checkName('name', input.name), search: () => checkSearch(input.search) })
  return withOrganizationLock(person, async (ctx) => {
    const { organizationId } = ctx.caller
    const userId = shared ? null : ctx.caller.userId
    const beside = ctx.db
      .selectFrom('deviceView')
      .where('organizationId', '=', organizationId)
      .where('userId', shared ? 'is' : '=', userId)
    const nameKey = sortKey(values.name)
    const before = await beside.selectAll().where('nameKey', '=', nameKey).executeTakeFirst()
    if (!before && (await countRows(beside)) >= LIMITS.device_views)
      throw limitExceeded(
        'device_views',
        `At most ${LIMITS.device_views} views are saved for ${shared ? 'everyone' : 'a person'}: remove one first.`,
      )
    const now = ctx.now()
    const view = { id: newId(now), createdAt: now, ...before, ...values, organizationId, userId, nameKey }
    await ctx.db
      .insertInto('deviceView')
      .values(view)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute()
    const changes = changesBetween(before ? auditedView(before) : {}, values)
    if (shared && changes.length > 0)
      await recordEvent(ctx, { action: 'device_view.saved', ...subjectOf(view), changes })
    return view
  })
}

/** Removes a view of the person, or as an Admin one of everyone's. */
export function deleteDeviceView(outer: Ctx, id: string): Promise<string> {
  return inTransaction(requirePerson(outer), async (ctx) => {
    const gone = await ctx.db
      .deleteFrom('deviceView')
      .where('id', '=', id)
      .where(isSeenBy(ctx.caller))
      .returningAll()
      .executeTakeFirstOrThrow(notFound)
    if (gone.userId !== null) return id
    requireAdmin(ctx.caller)
    const changes = changesBetween(auditedView(gone), {})
    await recordEvent(ctx, { action: 'device_view.deleted', ...subjectOf(gone), changes })
    return id
  })
}

/** The person's own views, and everyone's. */
export async function listDeviceViews(ctx: Ctx): Promise<DeviceView[]> {
  const { reads, caller } = requirePerson(ctx)
  return reads.selectFrom('deviceView').selectAll().where(isSeenBy(caller)).orderBy('nameKey').orderBy('id').execute()
}

const isSeenBy =
  ({ organizationId, userId }: UserCaller) =>
  (eb: ExpressionBuilder<Tables, 'deviceView'>) =>
    eb('organizationId', '=', organizationId).and(eb('userId', 'is', null).or('userId', '=', userId))

/** Written in one way, so that a secret in it is found. What else it says is up to the page. */
function checkSearch(given: string): string {
  const search = new URLSearchParams(given)
  if (given !== search.toString())
    throw badInput('search', 'search: the query string of an address, without `?`, as URLSearchParams writes it.')
  for (const text of [...search].flat()) checkAnyText('search', text, { max: MAX_VIEW_SEARCH })
  return given
}

const subjectOf = ({ id, name }: DeviceView) => about('DEVICE_VIEW', id, name)

const auditedView = ({ name, search }: DeviceView) => ({ name, search })
