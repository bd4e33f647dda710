import type { AuditEvent } from '../../api/audit.ts'

/** What one call did to many devices: a line with their number says it. */
const COUNTED: Partial<Record<AuditEvent['action'], string>> = {
  DEVICE_CREATED: 'added',
  DEVICE_UPDATED: 'updated',
  DEVICE_DELETED: 'deleted',
}

/** More than so many of one call are one line. */
const FEW = 3

type Grouped = Pick<AuditEvent, 'action' | 'at' | 'actor'>

export const verbOf = ({ action }: Grouped) => COUNTED[action] ?? ''

/** Neighbours of one call together, everything else alone. A call writes its events at one time. */
export function groupEvents<Event extends Grouped>(events: readonly Event[]): Event[][] {
  const calls: Event[][] = []
  for (const event of events) {
    const call = calls.at(-1)
    if (call?.[0] && isOfOneCall(call[0], event)) call.push(event)
    else calls.push([event])
  }
  return calls.flatMap((call) => (call.length > FEW ? [call] : call.map((event) => [event])))
}

const isOfOneCall = (one: Grouped, other: Grouped) =>
  one.action in COUNTED && one.action === other.action && one.at === other.at && one.actor.id === other.actor.id
