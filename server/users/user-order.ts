import type { Role } from '../db/tables.ts'
import type { SortDirection } from '../graphql/list-type.ts'
import { sortKey } from '../lib/check.ts'
import type { SortOrder, SortValues } from '../lib/sorted-rows.ts'

export type UserOrderField = 'NAME' | 'ROLE' | 'CREATED_AT'

export interface UserOrder {
  field: UserOrderField
  direction?: SortDirection | null | undefined
}

interface Sortable {
  id: string
  name: string
  role: Role
  createdAt: number
}

const VALUES: Record<UserOrderField, (person: Sortable) => SortValues> = {
  NAME: ({ name, id }) => [sortKey(name), id],
  ROLE: ({ role, name, id }) => [role, sortKey(name), id],
  CREATED_AT: ({ createdAt, id }) => [createdAt, id],
}

const TYPES: Record<UserOrderField, SortOrder<Sortable>['types']> = {
  NAME: ['string', 'string'],
  ROLE: ['string', 'string', 'string'],
  CREATED_AT: ['number', 'string'],
}

/** The earliest first has no label: it is the usual order. */
export function orderOf({ field, direction }: UserOrder): SortOrder<Sortable> {
  const isDescending = direction === 'DESC'
  const label = field === 'CREATED_AT' && !isDescending ? undefined : `${field} ${direction ?? 'ASC'}`
  return { label, isDescending, types: TYPES[field], values: VALUES[field] }
}
