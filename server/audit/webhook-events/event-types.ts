import type { AuditAction } from '../actions.ts'

/** Every type of event as it is sent, with its description for the API. */
export const EVENT_TYPES = {
  'api_key.generated': 'A key was generated.',
  'api_key.renamed': 'A key got another label.',
  'api_key.updated': 'The access or other restrictions of a key were changed, or a policy lets it expire earlier.',
  'api_key.paused': 'A key was paused.',
  'api_key.resumed': 'A key that was paused is accepted again.',
  'api_key.rotated': 'A key was replaced by a new one.',
  'api_key.revoked': 'A key was revoked, also because it was leaked. One event for each key.',
  'api_key.expiring':
    'A key expires soon: 30 days, 7 days and a day before, and first within the last fifth of its lifetime.',
  'api_key.removed': 'A key that expired 30 days ago was deleted.',
  'api_keys.enabled': 'API keys were enabled.',
  'api_keys.disabled': 'API keys were disabled: none can be generated, and active ones stay accepted.',
  'policy.changed': 'The policy for keys was changed.',
  'device.created': 'A device was added.',
  'device.updated': 'A device was changed, by a person, a script, or a check-in with another firmware version.',
  'device.deleted': 'A device was deleted.',
  'device.offline': 'A device has not checked in for five minutes.',
  'device.online': 'A device has checked in for the first time, or again after it was offline.',
  'user.invited': 'Somebody was invited.',
  'user.joined': 'Somebody became a member.',
  'user.role_changed': 'The role of a member, or of an invitation, was changed.',
  'user.removed': 'A member was removed, or an invitation was withdrawn.',
  'user.left': 'A member left.',
  'organization.updated': 'The organization was renamed.',
  test: 'Somebody asked for a test. It is sent to the one webhook, whatever its events are.',
} as const satisfies Record<string, string>

export type EventType = keyof typeof EVENT_TYPES

export const ALL_EVENT_TYPES = Object.keys(EVENT_TYPES) as EventType[] // the type of Object.keys does not say which

/** The name of a type in the API: `device.created` is `DEVICE_CREATED`. */
export const eventTypeName = (type: string) => type.toUpperCase().replaceAll('.', '_')

const BY_NAME = new Map(ALL_EVENT_TYPES.map((type) => [eventTypeName(type), type]))

export function eventTypeOf(name: string): EventType {
  const type = BY_NAME.get(name)
  if (type === undefined) throw new Error('No type of event has this name.') // the API accepts no other
  return type
}

/** Entries of the audit log that lead to an event of another name. */
const RENAMED: Readonly<Record<string, EventType>> = {
  'api_key.leaked': 'api_key.revoked',
  'api_keys.revoked': 'api_key.revoked',
  'api_key.expiry_notified': 'api_key.expiring',
  'api_keys.switched_on': 'api_keys.enabled',
  'api_keys.switched_off': 'api_keys.disabled',
  'api_keys.policy_changed': 'policy.changed',
} satisfies Partial<Record<AuditAction, EventType>>

/** The type of the event that an entry of the audit log leads to; undefined: none, so that canary keys stay unknown. */
export const eventTypeFor = (action: string): EventType | undefined =>
  RENAMED[action] ?? ALL_EVENT_TYPES.find((type) => type === action)
