import { defaultStringifySearch } from '@tanstack/react-router'
import { withoutSecrets } from './api/secret-text.ts'
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

/** Whatever a page puts into the address, no secret gets there. */
export const stringifySearch = (search: Record<string, unknown>) => withoutSecrets(defaultStringifySearch(search))
