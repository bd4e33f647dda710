import { MAX_SEARCH } from '../../limits.ts'

/** With a minus: the last first. */
export const ORDERS = {
  '-created': 'Newest first',
  '-used': 'Last used first',
  used: 'Longest unused first',
  expires: 'Expires first',
  '-expires': 'Expires last',
  label: 'By label',
  '-label': 'Label, Z to A',
} as const

export type Order = keyof typeof ORDERS

export const STATES = {
  active: 'Active',
  paused: 'Paused',
  expiring: 'Expiring',
  expired: 'Expired',
  unused: 'Unused',
} as const

export type State = keyof typeof STATES

/** What of the list is shown, as in the address of the panel. */
export interface KeySearch {
  /** Only these, by their ids, with dots between them. */
  only?: string | undefined
  q?: string | undefined
  sort?: Order | undefined
  state?: State | undefined
  /** Absent: the keys that there are. */
  view?: 'revoked' | undefined
  /** From 1. */
  page?: number | undefined
}

/** What an address asks for. What makes no sense in it is named too, or the router would keep it. */
export function keySearch(given: Record<string, unknown>): KeySearch {
  const { only, q, sort, state, page, view } = given
  return {
    only: typeof only === 'string' && /^[0-9a-z.]+$/.test(only) ? only : undefined,
    q: (['string', 'number'].includes(typeof q) && String(q).slice(0, MAX_SEARCH)) || undefined,
    sort: isKeyOf(ORDERS, sort) && sort !== '-created' ? sort : undefined,
    state: isKeyOf(STATES, state) ? state : undefined,
    view: view === 'revoked' ? view : undefined,
    page: typeof page === 'number' && Number.isInteger(page) && page > 1 ? page : undefined,
  }
}

const isKeyOf = <T extends object>(choices: T, given: unknown): given is keyof T =>
  typeof given === 'string' && Object.hasOwn(choices, given)
