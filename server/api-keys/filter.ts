import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { badInput } from '../lib/check.ts'
import { DAY } from '../lib/clock.ts'

export const MAX_KEY_IDS = 500
export const MAX_UNUSED_DAYS = 36_500

/** Which keys to select: all conditions that are given must hold. */
export interface ApiKeyFilter {
  ids?: readonly string[] | null | undefined
  /** Not used for this many days; a key that was never used counts from its creation. */
  unusedForDays?: number | null | undefined
  createdById?: string | null | undefined
}

/** `at` is its position among the arguments. */
export function checkFilter({ ids, unusedForDays }: ApiKeyFilter, at: '' | 'filter.' = ''): void {
  if (ids != null && (ids.length < 1 || ids.length > MAX_KEY_IDS))
    throw badInput(`${at}ids`, `${at}ids: 1 to ${MAX_KEY_IDS} of them.`)
  if (unusedForDays != null && (unusedForDays < 1 || unusedForDays > MAX_UNUSED_DAYS))
    throw badInput(`${at}unusedForDays`, `${at}unusedForDays: 1 to ${MAX_UNUSED_DAYS} days.`)
}

/** The filter as a condition on rows; without any condition, it matches all. */
export const fits =
  ({ ids, unusedForDays, createdById }: ApiKeyFilter, now: number) =>
  (eb: ExpressionBuilder<Tables, 'apiKey'>): ExpressionWrapper<Tables, 'apiKey', SqlBool> =>
    eb.and([
      ...(ids == null ? [] : [eb('id', 'in', ids)]),
      ...(createdById == null ? [] : [eb('createdById', '=', createdById)]),
      ...(unusedForDays == null ? [] : [eb(eb.fn.coalesce('lastUsedAt', 'createdAt'), '<', now - unusedForDays * DAY)]),
    ])
