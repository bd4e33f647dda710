import { type Ctx, requireAdmin } from '../../ctx.ts'
import { countMatching, readerFor } from '../../db/long-list.ts'
import type { Db } from '../../db/tables.ts'
import type { ApiKeyAccess } from '../../key-access.ts'
import { decodeCursor, encodeCursor, type Page, type PageArgs, pageOf, pageSize } from '../../lib/page.ts'
import { API_KEY_COLUMNS, type ApiKey } from '../api-key.ts'
import { type ApiKeyFilter, checkFilter, fits } from '../filter.ts'
import { type ApiKeySort, cursorTypes, cursorValues, isAfter, NEWEST_FIRST, sorted } from './sort.ts'
import { type ApiKeyState, LISTED_COLUMNS, type ListedKey, matcherOf } from './states.ts'

/** More than an organization ever has: see LIMITS.stored_keys. */
const MOST_READ = 5_000

interface ListFilter extends ApiKeyFilter {
  state?: ApiKeyState | null | undefined
  access?: ApiKeyAccess | null | undefined
}

interface ListArgs extends PageArgs {
  filter?: ListFilter | null | undefined
  search?: string | null | undefined
  sort?: ApiKeySort | null | undefined
}

/** The keys of the organization, the newest first unless asked otherwise (K13); also with the feature off (K11). */
export async function listApiKeys(ctx: Ctx, { filter, search, sort, ...args }: ListArgs): Promise<Page<ApiKey>> {
  requireAdmin(ctx.caller)
  const { state, access, ...conditions } = filter ?? {}
  checkFilter(conditions, 'filter.')
  const matches = matcherOf({ search, state, access }, ctx.now())
  const isPlain = !matches && sort == null
  const given = filter == null ? undefined : conditions
  return isPlain ? listByIndex(ctx, args, given) : listAmongAll(ctx, args, { filter: given, matches, sort })
}

/** Pages by the index on the id, which begins with the time of creation. */
async function listByIndex(ctx: Ctx, args: PageArgs, filter: ApiKeyFilter | undefined): Promise<Page<ApiKey>> {
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string'])
  const mine = keysOf(ctx)
  const matching = (db: Db) => (filter ? mine(db).where(fits(filter, ctx.now())) : mine(db))
  const all = matching(filter ? await readerFor(ctx, mine) : ctx.db)
  const rows = await (cursor ? all.where('id', '<', cursor[0]) : all)
    .select(API_KEY_COLUMNS)
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute()
  return pageOf(
    rows,
    size,
    (row) => encodeCursor([row.id]),
    () => countMatching(ctx, mine, matching),
  )
}

interface Selection {
  filter: ApiKeyFilter | undefined
  matches: ((key: ListedKey) => boolean) | undefined
  sort: ApiKeySort | null | undefined
}

/**
 * An organization has at most a thousand keys, so these are all read, without what only a page shows, and searched and
 * sorted here: the same on both databases, in any language.
 */
async function listAmongAll(ctx: Ctx, args: PageArgs, { filter, matches, sort }: Selection): Promise<Page<ApiKey>> {
  const size = pageSize(args)
  const order = sort ?? NEWEST_FIRST
  const cursor = decodeCursor(args, cursorTypes(order))
  const mine = keysOf(ctx)
  const db = await readerFor(ctx, mine)
  const all = filter ? mine(db).where(fits(filter, ctx.now())) : mine(db)
  const rows = await all.select(LISTED_COLUMNS).orderBy('id', 'desc').limit(MOST_READ).execute()
  const found = sorted(matches ? rows.filter(matches) : rows, order)
  const following = cursor ? found.filter((key) => isAfter(key, cursor, order)) : found
  const page = following.slice(0, size + 1)
  const whole = await wholeKeys(ctx, page.slice(0, size))
  return {
    ...pageOf(
      page,
      size,
      (key) => encodeCursor(cursorValues(key, order)),
      async () => found.length,
    ),
    data: whole,
  }
}

/** In the same order, without those that were revoked in the meantime. */
async function wholeKeys(ctx: Ctx, keys: readonly ListedKey[]): Promise<ApiKey[]> {
  if (keys.length === 0) return []
  const ids = keys.map(({ id }) => id)
  const rows = await keysOf(ctx)(ctx.db).select(API_KEY_COLUMNS).where('id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

const keysOf =
  ({ caller: { organizationId } }: Ctx) =>
  (db: Db) =>
    db.selectFrom('apiKey').where('organizationId', '=', organizationId)
