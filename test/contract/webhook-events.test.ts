import { expect, it } from 'vitest'
import { ALL_EVENT_TYPES, eventTypeName } from '../../server/audit/webhook-events/event-types.ts'
import type { WebhookEvent } from '../../web/api/webhooks.ts'
import { ALL_EVENTS, EVENT_GROUPS, eventsInWords, typeOf } from '../../web/components/webhook-events.ts'

it('every event that the portal sends can be chosen, once, and is called what it is called in a delivery', () => {
  const chosen = EVENT_GROUPS.flatMap(({ events }) => events.map(({ event }) => event))
  const types = [...chosen.map(typeOf), typeOf('TEST')]
  expect(types.toSorted()).toEqual(ALL_EVENT_TYPES.toSorted())
  expect(chosen.map((event) => eventTypeName(typeOf(event)))).toEqual(chosen)
})

it.for<[string, readonly WebhookEvent[]]>([
  ['All events', ALL_EVENTS],
  ['Devices', ['DEVICE_CREATED', 'DEVICE_UPDATED', 'DEVICE_DELETED', 'DEVICE_OFFLINE', 'DEVICE_ONLINE']],
  ['Key revoked, Device offline', ['DEVICE_OFFLINE', 'API_KEY_REVOKED']],
  [
    'Key paused, Key resumed, Key revoked and 1 more',
    ['USER_LEFT', 'API_KEY_PAUSED', 'API_KEY_RESUMED', 'API_KEY_REVOKED'],
  ],
])('in short: %s', ([words, events]) => expect(eventsInWords(events)).toBe(words))
