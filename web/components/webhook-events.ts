import type { WebhookEvent } from '../api/webhooks.ts'

/** What can be asked for; a test is sent by a button. */
type Subscribable = Exclude<WebhookEvent, 'TEST'>

const WORDS: Readonly<Record<Subscribable, string>> = {
  API_KEY_GENERATED: 'Key generated',
  API_KEY_RENAMED: 'Key renamed',
  API_KEY_UPDATED: 'Key changed',
  API_KEY_PAUSED: 'Key paused',
  API_KEY_RESUMED: 'Key resumed',
  API_KEY_ROTATED: 'Key rotated',
  API_KEY_REVOKED: 'Key revoked',
  API_KEY_EXPIRING: 'Key expires soon',
  API_KEY_REMOVED: 'Expired key removed',
  DEVICE_CREATED: 'Device added',
  DEVICE_UPDATED: 'Device updated',
  DEVICE_DELETED: 'Device deleted',
  DEVICE_OFFLINE: 'Device offline',
  DEVICE_ONLINE: 'Device online',
  USER_INVITED: 'User invited',
  USER_JOINED: 'User joined',
  USER_ROLE_CHANGED: 'Role changed',
  USER_REMOVED: 'User removed',
  USER_LEFT: 'User left',
  API_KEYS_ENABLED: 'API keys switched on',
  API_KEYS_DISABLED: 'API keys switched off',
  POLICY_CHANGED: 'API key policy changed',
  ORGANIZATION_UPDATED: 'Account renamed',
}

export const ALL_EVENTS = Object.keys(WORDS) as readonly Subscribable[] // as it is written above

/** Which events belong together, by how their names begin. */
const GROUPS = [
  { name: 'API keys', prefixes: ['API_KEY'] },
  { name: 'Devices', prefixes: ['DEVICE'] },
  { name: 'Users', prefixes: ['USER'] },
  { name: 'Account', prefixes: ['API_KEYS', 'POLICY', 'ORGANIZATION'] },
]

const prefixOf = (event: WebhookEvent, prefixes: readonly string[]) =>
  prefixes.find((prefix) => event.startsWith(`${prefix}_`))

export const EVENT_GROUPS = GROUPS.map(({ name, prefixes }) => ({
  name,
  events: ALL_EVENTS.filter((event) => prefixOf(event, prefixes)).map((event) => ({ event, words: WORDS[event] })),
}))

/** As it is in a delivery: `api_key.generated`. */
export function typeOf(event: WebhookEvent): string {
  const prefix = prefixOf(
    event,
    GROUPS.flatMap(({ prefixes }) => prefixes),
  )
  return (prefix ? `${prefix}.${event.slice(prefix.length + 1)}` : event).toLowerCase()
}

/** What a webhook is told of, in short: "All events", "Devices, Users", "Key revoked and 2 more". */
export function eventsInWords(events: readonly WebhookEvent[]): string {
  const isChosen = (event: WebhookEvent) => events.includes(event)
  if (ALL_EVENTS.every(isChosen)) return 'All events'
  const whole = EVENT_GROUPS.filter((group) => group.events.every(({ event }) => isChosen(event)))
  const single = EVENT_GROUPS.filter((group) => !whole.includes(group)).flatMap((group) =>
    group.events.filter(({ event }) => isChosen(event)),
  )
  const parts = [...whole.map(({ name }) => name), ...single.map(({ words }) => words)]
  const more = parts.length - SHOWN
  return more > 0 ? `${parts.slice(0, SHOWN).join(', ')} and ${more} more` : parts.join(', ')
}

const SHOWN = 3

/** What a webhook is called: its description, or the host that it is sent to. */
export const webhookName = ({ url, description }: { url: string; description: string | null }) =>
  description || (URL.canParse(url) ? new URL(url).host : url)

const inFull = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** What a rotation means for the old secret; null: it is no longer used. */
export const bothUntil = (moment: string | null) =>
  moment
    ? `Until ${inFull.format(new Date(moment))}, deliveries are signed with the old secret too: both work.`
    : 'The old secret is no longer used: deliveries are signed with the new one alone.'
