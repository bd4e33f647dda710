import type { AuditAction, AuditEventFilter } from '../../api/audit.ts'
import { dayOf } from '../../ui/day-of.ts'
import { ACTIONS } from './words.ts'

/** The filter as it is in the URL; dates are whole days in the reader's time zone, both included. */
export interface AuditSearch {
  action?: AuditAction | undefined
  actor?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/** Takes from the address what can be a filter. What cannot is named too, or the router would keep it. */
export function auditSearch({ action, actor, since, until }: Record<string, unknown>): AuditSearch {
  return {
    action: actionOf(action),
    actor: isText(actor) ? actor : undefined,
    since: isDay(since) ? since : undefined,
    until: isDay(until) ? until : undefined,
  }
}

/** What is searched for, for the server, which counts in moments. */
export function filterOf({ action, actor, since, until }: AuditSearch): AuditEventFilter {
  return {
    ...(action && { action }),
    ...(actor && { actorId: actor }),
    ...(since && { since: startOf(since).toISOString() }),
    ...(until && { until: startOf(until, 1).toISOString() }),
  }
}

function startOf(day: string, daysLater = 0): Date {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + daysLater)
  return at
}

/** An action by its name, or as links of older versions have it: `api_key.revoked`. */
function actionOf(value: unknown): AuditAction | undefined {
  const name = isText(value) ? value.toUpperCase().replaceAll('.', '_') : ''
  return isAction(name) ? name : undefined
}

const isAction = (name: string): name is AuditAction => Object.hasOwn(ACTIONS, name)

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && dayOf(startOf(value)) === value
