import { type Ctx, requireAdmin } from '../../caller/ctx.ts'
import type { ApiKeyAccess } from '../../caller/key-rules.ts'
import { API_KEY_COLUMNS } from '../../db/api-key-row.ts'
import { countMatching, readsFor } from '../../db/long-list.ts'
import type { Db } from '../../db/tables.ts'
import type { SortDirection } from '../../graphql/list-type.ts'
import { sortKey } from '../../lib/check.ts'
import { LAST_MOMENT } from '../../lib/clock.ts'
import { newestFirst, type Page, type PageArgs, pageOf, pageSize } from '../../lib/page.ts'
import { cursorIn, isAfter, positionIn, type SortOrder, sorted } from '../../lib/sorted-rows.ts'
import { type ApiKey, keysByIds } from '../api-key.ts'
import { type ApiKeyFilter, checkFilter, fits } from '../filter.ts'
import { type ApiKeyState, LISTED_COLUMNS, type ListedKey, matcherOf } from './states.ts'

/** More than an organization ever has: see LIMITS.stored_keys. */
const MAX_READ = 5_000

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
  const mine = keysOf(ctx)
  const matching = (db: Db) => (filter ? mine(db).where(fits(filter, ctx.now())) : mine(db))
  const find = async (before: string | undefined, limit: number) => {
    const all = matching(filter ? await readsFor(ctx, mine) : ctx.reads)
    const rest = before === undefined ? all : all.where('id', '<', before)
    return rest.select(API_KEY_COLUMNS).orderBy('id', 'desc').limit(limit).execute()
  }
  return newestFirst(args, find, () => countMatching(ctx, mine, matching))
}

interface Selection {
  filter: ApiKeyFilter | undefined
  matches: ((key: ListedKey) => boolean) | undefined
  sort: ApiKeySort | null | undefined
}

/** Reads all keys, at most a thousand, and searches and sorts here: the same on both databases, in any language. */
async function listAmongAll(ctx: Ctx, args: PageArgs, { filter, matches, sort }: Selection): Promise<Page<ApiKey>> {
  const size = pageSize(args)
  const order = orderOf(sort ?? NEWEST_FIRST)
  const position = positionIn(order, args)
  const mine = keysOf(ctx)
  const db = await readsFor(ctx, mine)
  const all = filter ? mine(db).where(fits(filter, ctx.now())) : mine(db)
  const rows = await all.select(LISTED_COLUMNS).orderBy('id', 'desc').limit(MAX_READ).execute()
  const found = sorted(matches ? rows.filter(matches) : rows, order)
  const following = position ? found.filter((key) => isAfter(key, position, order)) : found
  const page = following.slice(0, size + 1)
  const ids = page.slice(0, size).map(({ id }) => id)
  const whole = ids.length === 0 ? [] : await keysByIds(ctx, ids)
  return {
    ...pageOf(
      page,
      size,
      (key) => cursorIn(order, key),
      async () => found.length,
    ),
    data: whole.filter((key) => key !== null), // revoked in the meantime
  }
}

const keysOf =
  ({ caller: { organizationId } }: Ctx) =>
  (db: Db) =>
    db.selectFrom('apiKey').where('organizationId', '=', organizationId)

type ApiKeySortField = 'CREATED_AT' | 'LABEL' | 'LAST_USED_AT' | 'EXPIRES_AT'

interface ApiKeySort {
  by: ApiKeySortField
  direction?: SortDirection | null | undefined
}

const NEWEST_FIRST: ApiKeySort = { by: 'CREATED_AT', direction: 'DESC' }

/** Never used is before every use, and no expiration after all others. The id decides, and begins with the creation. */
const VALUE: Record<Exclude<ApiKeySortField, 'CREATED_AT'>, (key: ListedKey) => string | number> = {
  LABEL: ({ label }) => sortKey(label),
  LAST_USED_AT: ({ lastUsedAt }) => lastUsedAt ?? 0,
  EXPIRES_AT: ({ expiresAt }) => expiresAt ?? LAST_MOMENT,
}

function orderOf({ by, direction }: ApiKeySort): SortOrder<ListedKey> {
  const isDescending = direction === 'DESC'
  const label = by === 'CREATED_AT' && isDescending ? undefined : `${by} ${direction ?? 'ASC'}`
  if (by === 'CREATED_AT') return { label, isDescending, types: ['string'], values: ({ id }) => [id] }
  const types = [by === 'LABEL' ? 'string' : 'number', 'string'] as const
  return { label, isDescending, types, values: (key) => [VALUE[by](key), key.id] }
}
