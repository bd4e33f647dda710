import type { AuditEventFilter } from '../../api/audit.ts'
import { type AuditSearch, startOf } from './audit-search.ts'
import { ACTIONS } from './words.ts'

/** Without an action that does not exist. */
export const known = (search: AuditSearch): AuditSearch =>
  search.action && !Object.hasOwn(ACTIONS, search.action) ? { ...search, action: undefined } : search

/** What is searched for, for the server, which counts in moments. */
export function filterOf(search: AuditSearch): AuditEventFilter {
  const { action, actor, since, until } = known(search)
  return {
    ...(action && { action }),
    ...(actor && { actorId: actor }),
    ...(since && { since: startOf(since).toISOString() }),
    ...(until && { until: startOf(until, 1).toISOString() }),
  }
}
