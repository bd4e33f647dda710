import { ALL_EVENT_TYPES, type EventType } from '../audit/webhook-events/event-types.ts'
import { badInput, checkText } from '../lib/check.ts'
import type { Destinations } from './destinations.ts'

export const MAX_URL_LENGTH = 2_000
export const MAX_DESCRIPTION = 200

export interface WebhookInput {
  url?: string | null | undefined
  events?: readonly EventType[] | null | undefined
  description?: string | null | undefined
  enabled?: boolean | null | undefined
}

export interface WebhookValues {
  url?: string
  events?: string
  description?: string | null
  enabled?: 0 | 1
}

export function checkWebhook(input: WebhookInput, destinations: Destinations): WebhookValues {
  return {
    ...(input.url != null && { url: checkUrl(input.url, destinations) }),
    ...(input.events != null && { events: checkEvents(input.events) }),
    ...(input.description !== undefined && { description: checkDescription(input.description) }),
    ...(input.enabled != null && { enabled: input.enabled ? 1 : 0 }),
  }
}

/** An address, stored as given. Names are judged by where they lead to when a delivery is sent, addresses already here. */
function checkUrl(given: string, destinations: Destinations): string {
  const text = checkText('url', given, { max: MAX_URL_LENGTH })
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw badInput('url', 'url: an address such as https://example.com/hooks.')
  if (url.username !== '' || url.password !== '')
    throw badInput('url', 'url: no user name and no password. Requests are signed: check their signature.')
  if (url.hash !== '' || text.includes('#')) throw badInput('url', 'url: no fragment, which begins with #.')
  if (url.href.length > MAX_URL_LENGTH) throw badInput('url', `url: at most ${MAX_URL_LENGTH} characters.`)
  const refusal = destinations.refusalOf(url)
  if (refusal !== undefined) throw badInput('url', `url: ${refusal}`)
  return text
}

/** As JSON, each once, in the order of the list of all types. */
function checkEvents(given: readonly EventType[]): string {
  const wanted = new Set(given)
  if (wanted.size === 0) throw badInput('events', 'events: at least one.')
  if (wanted.has('test')) throw badInput('events', 'events: TEST is sent by testWebhook, and not subscribed to.')
  return JSON.stringify(ALL_EVENT_TYPES.filter((type) => wanted.has(type)))
}

const checkDescription = (given: string | null) =>
  given === null ? null : checkText('description', given, { max: MAX_DESCRIPTION })
