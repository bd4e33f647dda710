import { defaultStringifySearch } from '@tanstack/react-router'
import { withoutSecrets } from './api/secret-text.ts'
import type { UserSearch, UserSort } from './api/users.ts'
import type { WebhookSort } from './api/webhooks.ts'
import { MAX_SEARCH } from './limits.ts'
import { safeNext } from './paths.ts'

/** Where to go after signing in. */
export const next = (search: Record<string, unknown>) => ({
  ...(search['next'] !== undefined && { next: safeNext(search['next']) }),
})

/** What was searched for; what cannot be is named too, or the router would keep it. A number is how it reads "42". */
export const searched = ({ search }: Record<string, unknown>): { search?: string | undefined } => ({
  search: (['string', 'number'].includes(typeof search) && String(search).slice(0, MAX_SEARCH)) || undefined,
})

/** The earliest first is no order of its own: it is the one without a word. */
const USER_ORDERS = ['-joined', 'name', '-name', 'role', '-role'] as const satisfies UserSort[]

/** Which people the list shows, in which order. */
export const userSearch = (given: Record<string, unknown>): UserSearch => ({
  ...searched(given),
  order: USER_ORDERS.find((known) => known === given['order']),
})

const WEBHOOK_ORDERS = ['url', '-url', 'status', '-status', 'delivery', '-delivery'] as const satisfies WebhookSort[]

/** The order of the webhooks; without one, the newest first. */
export const webhookSearch = ({ sort }: Record<string, unknown>): { sort?: WebhookSort | undefined } => ({
  sort: WEBHOOK_ORDERS.find((known) => known === sort),
})

/** Whatever a page puts into the address, no secret gets there. */
export const stringifySearch = (search: Record<string, unknown>) => withoutSecrets(defaultStringifySearch(search))
